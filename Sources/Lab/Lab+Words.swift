import ATSPolicy
import Foundation
import Text

extension Lab {
    /// A table for the terminal: one origin per line.
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
    /// ruleDespiteException redirect publicKeys{leaf authorities} ctLogs expectations[{root logs profiles verdict rule
    /// appleError}] underNIAP{verdict rule}`. An exception is the content to put under `NSExceptionDomains`.
    /// `olderSystems` lists the releases where one helps although it does not on the newest. `underNIAP` is null if
    /// that package makes no difference. `root` is `roots` or `extra-ca`, the option that makes the lab's root trusted,
    /// or `any`. `logs` is `ct-logs` if the gate has the list of the lab's logs, `none` if it does not, or `any`.
    ///
    /// - Parameter logList: the path of the file that ``writeLogs(to:)`` wrote, for `ctLogs`.
    public func json(logList: String? = nil) -> String {
        "[\n" + origins.map { "  " + $0.json(logList: logList).text }.joined(separator: ",\n") + "\n]\n"
    }

    /// Writes ``rootPEM`` to a file, replacing it.
    public func writeRoot(to path: String) throws(LabError) { try Self.write(rootPEM, to: path) }

    /// Writes ``logsJSON`` to a file, replacing it.
    public func writeLogs(to path: String) throws(LabError) { try Self.write(logsJSON, to: path) }

    private static func write(_ text: String, to path: String) throws(LabError) {
        guard let file = fopen(path, "w") else { throw .unwritable(path: path, errno: errno) }
        let isWritten = fputs(text, file) >= 0
        // A full disk may be reported only now.
        guard fclose(file) == 0, isWritten else { throw .unwritable(path: path, errno: errno) }
    }
}

extension LabOrigin {
    fileprivate var row: [String] {
        let codes = [appleCode, streamErrorCode].compactMap { $0.map(String.init) }.joined(separator: " / ")
        return [url, expectedVerdict, rule?.rawValue ?? "-", codes.isEmpty ? "-" : codes, connectTo, flaw]
    }
}
