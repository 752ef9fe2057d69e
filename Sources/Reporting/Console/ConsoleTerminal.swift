import Foundation

/// Where lines for people go, and what can be shown there.
public struct ConsoleTerminal: Sendable {
    let output: ConsoleWriter
    public let isColoured: Bool
    /// Whether a line can be taken back; a status line needs that.
    let isTerminal: Bool
    private let descriptor: Int32
    private let fixedWidth: Int?
    let secondsFromGMT: Int

    public static let standardError = ConsoleTerminal(.standardError, descriptor: STDERR_FILENO)

    /// Sees for itself: a terminal that is not dumb has a status line, and colours where NO_COLOR (no-color.org) is not
    /// set.
    ///
    /// - Parameters:
    ///   - descriptor: that of `output`.
    ///   - environment: the process's own unless told otherwise.
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
        secondsFromGMT = TimeZone.current.secondsFromGMT()
    }

    /// - Parameter width: in characters; nil for no terminal.
    public init(_ output: ConsoleWriter, isColoured: Bool = false, width: Int? = nil, secondsFromGMT: Int = 0) {
        self.output = output
        self.isColoured = isColoured
        isTerminal = width != nil
        descriptor = -1
        fixedWidth = width
        self.secondsFromGMT = secondsFromGMT
    }

    /// In characters, as it is now; nil where there is no terminal, or none that knows.
    public var width: Int? {
        guard isTerminal, fixedWidth == nil else { return fixedWidth }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
