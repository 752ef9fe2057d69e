import ArgumentParser
import Foundation

/// The lines of a `--config` file, each checked by the parser of the command line.
struct ConfigurationFile {
    private let entries: [(key: ConfigurationKey, argument: String)]

    /// - Throws: ``CommandFailure`` with 65 when the file cannot be read, and with 64, naming `FILE:LINE`, when a line
    ///   is no option or its value is not accepted.
    static func read(path: String) throws -> ConfigurationFile {
        do {
            let text = try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
            return try ConfigurationFile(text: text, path: path)
        } catch let error as CocoaError {
            throw CommandFailure.badInput("the configuration file \(path) cannot be read: \(reason(error))")
        }
    }

    /// - Parameter path: for messages.
    init(text: String, path: String) throws {
        var entries: [(key: ConfigurationKey, argument: String)] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            do throws(ValueProblem) {
                guard let entry = try Self.entry(String(line)) else { continue }
                entries.append(entry)
            } catch {
                throw CommandFailure.usage("\(path):\(index + 1): \(error)")
            }
        }
        self.entries = entries
    }

    /// The lines as arguments, to stand in front of those of the command line, which then win.
    ///
    /// - Parameter options: what the command line alone says. Addresses to listen on replace those of the file: to
    ///   add one to a file is less often meant than to take another.
    func arguments(under options: GateOptions) -> [String] {
        entries.filter { $0.key != .listen || options.listening.listen.isEmpty }.map(\.argument)
    }

    /// Nil for an empty line and for `allow-lan = false`.
    private static func entry(_ line: String) throws(ValueProblem) -> (key: ConfigurationKey, argument: String)? {
        let content = withoutComment(line).trimmingCharacters(in: .whitespaces)
        guard !content.isEmpty else { return nil }
        let sides = content.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
        guard let key = ConfigurationKey(rawValue: sides[0]) else {
            let hint = ConfigurationKey.nearest(to: sides[0]).map { "; did you mean \"\($0)\"?" } ?? ""
            throw ValueProblem("unknown option \"\(sides[0])\"\(hint)")
        }
        guard sides.count == 2, !sides[1].isEmpty else {
            throw ValueProblem("\(key.rawValue) needs a value: \(key.rawValue) = \(key.isFlag ? "true" : "...")")
        }
        guard let argument = try argument(key, sides[1]) else { return nil }
        do {
            _ = try GateOptions.parse([argument])
        } catch {
            throw ValueProblem(GateOptions.message(for: error))
        }
        return (key, argument)
    }

    private static func argument(_ key: ConfigurationKey, _ value: String) throws(ValueProblem) -> String? {
        guard key.isFlag else { return "--\(key.rawValue)=\(value)" }
        switch value {
        case "true": return "--\(key.rawValue)"
        case "false": return nil
        default: throw ValueProblem("\(key.rawValue) must be true or false, not \"\(value)\"")
        }
    }

    /// A comment begins at the start of a line or after a blank, so that paths may hold a #.
    private static func withoutComment(_ line: String) -> Substring {
        var previous: Character = " "
        for index in line.indices {
            if line[index] == "#", previous.isWhitespace { return line[..<index] }
            previous = line[index]
        }
        return line[...]
    }

    private static func reason(_ error: CocoaError) -> String {
        switch error.code {
        case .fileReadNoSuchFile: "there is no such file"
        case .fileReadNoPermission: "it is not readable for this user"
        case .fileReadInapplicableStringEncoding: "it is not UTF-8 text"
        default: error.localizedDescription
        }
    }
}
