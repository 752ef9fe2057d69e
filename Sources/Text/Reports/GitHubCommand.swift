/// A workflow command of GitHub Actions that annotates a line of a file. Source: GitHub Docs, "Workflow commands for
/// GitHub Actions", section "Setting an error message".
///
/// Escapes `%` everywhere, and `:` and `,` in properties, like the runner's own toolkit. All text is printable, because
/// terminals display the job's log.
public struct GitHubCommand: Sendable {
    public enum Level: String, Sendable, Hashable {
        case error, warning, notice
    }

    private let level: Level
    private let properties: [String]
    private let message: String

    /// - Parameters:
    ///   - file: nil if the message does not refer to a file.
    ///   - line: counted from 1, as `column`.
    public init(
        _ level: Level, _ message: String, title: String, file: String? = nil, line: Int? = nil, column: Int? = nil
    ) {
        self.level = level
        self.message = Self.escaped(message)
        var properties: [String] = []
        if let file { properties.append("file=" + Self.property(file)) }
        if let line, file != nil { properties.append("line=\(line)") }
        if let column, line != nil, file != nil { properties.append("col=\(column)") }
        self.properties = properties + ["title=" + Self.property(title)]
    }

    /// The command with its line end.
    public var line: String { "::\(level.rawValue) \(properties.joined(separator: ","))::\(message)\n" }

    private static func escaped(_ text: String) -> String { text.printable.replacing("%", with: "%25") }

    private static func property(_ text: String) -> String {
        escaped(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
    }
}
