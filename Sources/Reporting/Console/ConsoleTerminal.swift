import Foundation

/// The destination of lines for the user, and its abilities.
public struct ConsoleTerminal: Sendable {
    let output: ConsoleWriter
    public let isColoured: Bool
    /// True if a line can be erased, as a status line requires.
    let isTerminal: Bool
    private let descriptor: Int32
    private let fixedWidth: Int?
    /// COLUMNS of the environment.
    private let columns: Int?
    let secondsFromGMT: Int

    public static let standardError = ConsoleTerminal(.standardError, descriptor: STDERR_FILENO)

    /// Detects the abilities: a terminal that is not dumb has a status line, and colours unless NO_COLOR (no-color.org)
    /// is set.
    ///
    /// - Parameters:
    ///   - descriptor: the descriptor of `output`.
    ///   - environment: the process's own by default.
    public init(
        _ output: ConsoleWriter, descriptor: Int32,
        environment: [String: String]? = nil
    ) {
        let environment = environment ?? ProcessInfo.processInfo.environment
        self.output = output
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1 && environment["TERM"] != "dumb"
        isColoured = isTerminal && environment["NO_COLOR", default: ""].isEmpty
        fixedWidth = nil
        columns = environment["COLUMNS"].flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil }
        secondsFromGMT = TimeZone.current.secondsFromGMT()
    }

    /// - Parameter width: in characters; nil if this is not a terminal.
    public init(_ output: ConsoleWriter, isColoured: Bool = false, width: Int? = nil, secondsFromGMT: Int = 0) {
        self.output = output
        self.isColoured = isColoured
        isTerminal = width != nil
        descriptor = -1
        fixedWidth = width
        columns = nil
        self.secondsFromGMT = secondsFromGMT
    }

    /// The current width in characters: COLUMNS if it is set, otherwise what the terminal reports, otherwise 80; nil if
    /// this is not a terminal. Source: POSIX.1-2024, Base Definitions, section 8.3.
    public var width: Int? {
        guard isTerminal, fixedWidth == nil else { return fixedWidth }
        if let columns { return columns }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return Self.usualWidth }
        return Int(size.ws_col)
    }

    /// Of a terminal that does not report its width.
    private static let usualWidth = 80
}
