import Bytes

/// Tests for text that every store can keep and that needs no conversion: ASCII without U+0000, as nearly all text is.
/// Reads eight bytes at a time; other text is checked with more care.
enum PlainText {
    static func isPlain(_ text: UnsafeRawBufferPointer) -> Bool {
        // Matches if the highest bit of a byte is set, or if a subtraction borrows because a byte is 0.
        !isMarked(text) { $0 | ($0 &- lowest) & ~$0 }
    }

    /// True if the inside of a JSON string contains an escape.
    static func isEscaped(_ inside: UnsafeRawBufferPointer) -> Bool {
        isMarked(inside) { eight in
            let zeros = eight ^ (lowest &* UInt64(UInt8(ascii: "\\")))
            return (zeros &- lowest) & ~zeros
        }
    }

    /// True if a shared store can keep it: UTF-8 without U+0000.
    static func isKept(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        !text.contains(0) && String(validating: text, as: UTF8.self) != nil
    }

    /// - Parameter test: sets the highest bit of each of the eight bytes that matches.
    @inline(__always)
    private static func isMarked(_ text: UnsafeRawBufferPointer, _ test: (UInt64) -> UInt64) -> Bool {
        guard let begin = text.baseAddress else { return false }
        var marks: UInt64 = 0
        var place = 0
        while place + 8 <= text.count {
            marks |= test(begin.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            place += 8
        }
        // The last bytes, padded with letters.
        var rest = lowest &* UInt64(UInt8(ascii: "a"))
        withUnsafeMutableBytes(of: &rest) { $0.copyMemory(from: ByteView(text).slice(from: place)) }
        return (marks | test(rest)) & highest != 0
    }

    /// The lowest and the highest bit of each byte.
    private static let lowest: UInt64 = 0x0101_0101_0101_0101
    private static let highest: UInt64 = 0x8080_8080_8080_8080
}
