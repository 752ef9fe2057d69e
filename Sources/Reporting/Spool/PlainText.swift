/// Text that every store keeps, and that is sent as it is: ASCII without U+0000, as nearly all of it is. It is told
/// eight bytes at a time; other text is looked at with more care.
enum PlainText {
    static func isPlain(_ text: UnsafeRawBufferPointer) -> Bool {
        // The highest bit of one of them is set, or a borrow goes through one that is 0.
        !isMarked(text) { $0 | ($0 &- lowest) & ~$0 }
    }

    /// Whether the inside of a JSON string says something else than what is written there.
    static func isEscaped(_ inside: UnsafeRawBufferPointer) -> Bool {
        isMarked(inside) { eight in
            let zeros = eight ^ (lowest &* UInt64(UInt8(ascii: "\\")))
            return (zeros &- lowest) & ~zeros
        }
    }

    /// Whether a shared store keeps it: UTF-8 without U+0000.
    static func isKept(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        !text.contains(0) && String(validating: text, as: UTF8.self) != nil
    }

    /// - Parameter test: sets the highest bit of a byte where one of the eight is looked for.
    @inline(__always)
    private static func isMarked(_ text: UnsafeRawBufferPointer, _ test: (UInt64) -> UInt64) -> Bool {
        guard let begin = text.baseAddress else { return false }
        var marks: UInt64 = 0
        var place = 0
        while place + 8 <= text.count {
            marks |= test(begin.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            place += 8
        }
        // With letters behind the last.
        var rest = lowest &* UInt64(UInt8(ascii: "a"))
        withUnsafeMutableBytes(of: &rest) { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: text[place...])) }
        return (marks | test(rest)) & highest != 0
    }

    /// Of each byte the lowest bit, and the highest.
    private static let lowest: UInt64 = 0x0101_0101_0101_0101
    private static let highest: UInt64 = 0x8080_8080_8080_8080
}
