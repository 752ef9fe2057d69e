import ATSPolicy
import Foundation

extension Lab {
    /// A table for people: one origin per line.
    public var table: String {
        let rows = [["URL", "EXPECT", "RULE", "APPLE", "CONNECT TO", "FLAW"]] + origins.map(\.row)
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row.dropLast(), widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return (cells + row.suffix(1)).joined(separator: "  ") + "\n"
        }.joined()
    }

    /// An array with one object per origin. Keys: `name scheme port realPort url flaw expectedVerdict rule
    /// appleError{domain code streamErrorCode} exception connectTo olderSystems{profiles exception}
    /// ruleDespiteException`. An exception is what to put under `NSExceptionDomains`; `olderSystems` tells where one
    /// helps although it does not on the newest profile.
    public var json: String {
        "[\n" + origins.map { "  " + $0.json }.joined(separator: ",\n") + "\n]\n"
    }

    /// Writes ``rootPEM`` to a file, replacing it.
    public func writeRoot(to path: String) throws(LabError) {
        guard let file = fopen(path, "w") else { throw .unwritable(path: path, errno: errno) }
        let isWritten = fputs(rootPEM, file) >= 0
        // A full disk may show only now.
        guard fclose(file) == 0, isWritten else { throw .unwritable(path: path, errno: errno) }
    }
}

extension LabOrigin {
    fileprivate var row: [String] {
        let codes = [appleCode, streamErrorCode].compactMap { $0.map(String.init) }.joined(separator: " / ")
        return [url, expectedVerdict, rule?.rawValue ?? "-", codes.isEmpty ? "-" : codes, connectTo, flaw]
    }

    fileprivate var json: String {
        let apple = appleCode.map {
            Self.object([
                ("domain", Self.quoted("NSURLErrorDomain")), ("code", "\($0)"),
                ("streamErrorCode", streamErrorCode.map { "\($0)" } ?? "null"),
            ])
        }
        return Self.object([
            ("name", Self.quoted(name)), ("scheme", Self.quoted(scheme.rawValue)), ("port", "\(port)"),
            ("realPort", "\(realPort)"), ("url", Self.quoted(url)), ("flaw", Self.quoted(flaw)),
            ("expectedVerdict", Self.quoted(expectedVerdict)),
            ("rule", rule.map { Self.quoted($0.rawValue) } ?? "null"), ("appleError", apple ?? "null"),
            ("exception", minimalException.map(Self.exception) ?? "null"), ("connectTo", Self.quoted(connectTo)),
            ("olderSystems", olderSystems),
            ("ruleDespiteException", ruleDespiteException.map { Self.quoted($0.rawValue) } ?? "null"),
        ])
    }

    private var olderSystems: String {
        let profiles = OSProfile.all.filter(passesWithException)
        guard minimalException == nil, let fix = profiles.first.flatMap(minimalException) else { return "null" }
        let names = profiles.map { Self.quoted($0.name) }.joined(separator: ", ")
        return Self.object([("profiles", "[\(names)]"), ("exception", Self.exception(fix))])
    }

    /// The shape of a record's `remedy.exception`.
    private static func exception(_ fix: ExceptionFix) -> String {
        let settings = fix.settings.map { setting in
            switch setting.value {
            case .flag(let flag): (setting.key, "\(flag)")
            case .text(let text): (setting.key, quoted(text))
            }
        }
        return object([(fix.domain, object(settings))])
    }

    private static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { quoted($0) + ": " + $1 }.joined(separator: ", ") + "}"
    }

    /// A JSON string. The texts are the lab's own, so only what they can hold is escaped: RFC 8259 section 7.
    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
