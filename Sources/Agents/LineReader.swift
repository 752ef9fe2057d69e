/// Splits a stream of bytes into lines of bounded length. Source: Model Context Protocol, stdio transport: messages are
/// delimited by line feeds and contain none.
public struct LineReader: Sendable {
    public enum Line: Sendable, Hashable {
        case line([UInt8])
        /// A line above the limit, whose bytes were dropped.
        case tooLong
    }

    private var pending: [UInt8] = []
    private var isDropping = false
    private let limit: Int

    /// - Parameter limit: the longest line, in bytes.
    public init(limit: Int) {
        self.limit = limit
    }

    /// The lines that end in these bytes. Empty lines are left out.
    public mutating func add(_ bytes: some Sequence<UInt8>) -> [Line] {
        var lines: [Line] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                if pending.count < limit { pending.append(byte) } else { isDropping = true }
                continue
            }
            if pending.last == UInt8(ascii: "\r") { pending.removeLast() }
            if isDropping { lines.append(.tooLong) } else if !pending.isEmpty { lines.append(.line(pending)) }
            pending = []
            isDropping = false
        }
        return lines
    }
}
