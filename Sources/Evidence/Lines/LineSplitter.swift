import Foundation

/// Splits a stream of bytes into lines, in constant memory.
///
/// Line ends are LF or CRLF. A byte order mark is removed; UTF-16 with one is converted to UTF-8 (Windows shells write
/// redirected output in UTF-16).
struct LineSplitter {
    /// Longest line that is read, in bytes; the rest is skipped.
    static let lineLimit = 256 << 10

    private(set) var counts = Counts()
    private var carry: [UInt8] = []
    /// True while the rest of a line beyond the limit is skipped.
    private var isSkipping = false
    private var encoding: Encoding?

    struct Counts: Sendable, Hashable {
        var bytes = 0
        var lines = 0
        /// Lines beyond the limit; only their beginning was read.
        var cutLines = 0
        var isUTF16 = false
    }

    private enum Encoding {
        case utf8, utf16(Wide)
    }

    /// Passes each line that ends in `chunk` to `each`, without its end.
    mutating func feed(_ chunk: UnsafeRawBufferPointer, _ each: (LogText) -> Void) {
        counts.bytes += chunk.count
        guard !chunk.isEmpty else { return }
        var text = LogText(chunk)
        if encoding == nil { text = detect(text) }
        guard case .utf16(var wide) = encoding else { return split(text, each) }
        let narrow = wide.narrow(text)
        encoding = .utf16(wide)
        narrow.withUnsafeBytes { split(LogText($0), each) }
    }

    /// Passes on the last line if it has no line end.
    mutating func finish(_ each: (LogText) -> Void) {
        guard !carry.isEmpty else { return }
        emitCarry(each)
    }

    /// Removes a byte order mark and sets the encoding.
    private mutating func detect(_ text: LogText) -> LogText {
        encoding = .utf8
        switch (text[0], text[1], text[2]) {
        case (0xEF, 0xBB, 0xBF): return text.from(3)
        case (0xFF, 0xFE, _), (0xFE, 0xFF, _):
            counts.isUTF16 = true
            encoding = .utf16(Wide(isBigEndian: text[0] == 0xFE))
            return text.from(2)
        default: return text
        }
    }

    private mutating func split(_ text: LogText, _ each: (LogText) -> Void) {
        var start = 0
        while let end = text.find(lineFeed, from: start) {
            take(text[start, end], each)
            start = end + 1
        }
        keep(text.from(start), each)
    }

    /// Completes a line with its last part.
    private mutating func take(_ part: LogText, _ each: (LogText) -> Void) {
        if isSkipping {
            isSkipping = false
        } else if carry.isEmpty, part.count <= Self.lineLimit {
            emit(part, each)
        } else {
            keep(part, each)
            if isSkipping { isSkipping = false } else { emitCarry(each) }
        }
    }

    /// Keeps a part of a line whose end has not been read yet.
    private mutating func keep(_ part: LogText, _ each: (LogText) -> Void) {
        guard !isSkipping, !part.isEmpty else { return }
        let room = Self.lineLimit - carry.count
        carry.append(contentsOf: part.bytes.prefix(room))
        guard part.count > room else { return }
        counts.cutLines += 1
        isSkipping = true
        emitCarry(each)
    }

    private mutating func emitCarry(_ each: (LogText) -> Void) {
        let line = carry
        carry.removeAll(keepingCapacity: true)
        line.withUnsafeBytes { emit(LogText($0), each) }
    }

    private mutating func emit(_ line: LogText, _ each: (LogText) -> Void) {
        counts.lines += 1
        each(line[line.count - 1] == carriageReturn ? line[0, line.count - 1] : line)
    }
}

/// Converts UTF-16 to UTF-8 in pieces.
private struct Wide {
    let isBigEndian: Bool
    private var odd: UInt8?
    private var highSurrogate: UInt16?

    init(isBigEndian: Bool) {
        self.isBigEndian = isBigEndian
    }

    mutating func narrow(_ text: LogText) -> [UInt8] {
        var units: [UInt16] = highSurrogate.map { [$0] } ?? []
        highSurrogate = nil
        for byte in text.bytes {
            guard let first = odd else {
                odd = byte
                continue
            }
            odd = nil
            units.append(isBigEndian ? UInt16(first) << 8 | UInt16(byte) : UInt16(byte) << 8 | UInt16(first))
        }
        // A high surrogate waits for the low one in the next piece.
        if let last = units.last, UTF16.isLeadSurrogate(last) { highSurrogate = units.removeLast() }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}

private let lineFeed = UInt8(ascii: "\n")
private let carriageReturn = UInt8(ascii: "\r")
