import Declarations

/// Bytes that are read in pieces, so that a large file is never in memory as a whole.
public protocol ByteSource {
    /// Number of bytes.
    var count: Int { get }
    /// The bytes of a range; fewer if the source ends before, none for a negative offset.
    func bytes(at offset: Int, count: Int) -> [UInt8]
}

extension AppFileContent: ByteSource {}

extension [UInt8]: ByteSource {
    public func bytes(at offset: Int, count wanted: Int) -> [UInt8] {
        guard offset >= 0, wanted > 0, offset < count else { return [] }
        return Array(self[offset..<offset + Swift.min(wanted, count - offset)])
    }
}

extension ByteSource {
    /// The part of a range that exists.
    func clipped(_ offset: UInt64, _ length: UInt64) -> Range<Int>? {
        guard offset < UInt64(count), length > 0 else { return nil }
        let start = Int(offset)
        let most = UInt64(count - start)
        return start..<start + Int(min(length, most))
    }
}

/// Numbers in bytes of a file, in either byte order. A number beyond the end is nil.
struct BinaryNumbers {
    let bytes: [UInt8]
    var isBigEndian = false

    func word(_ offset: Int) -> UInt32? { number(offset, 4).map { UInt32(truncatingIfNeeded: $0) } }

    func long(_ offset: Int) -> UInt64? { number(offset, 8) }

    /// A name of fixed length, up to its first zero byte.
    func name(_ offset: Int, _ length: Int) -> String {
        guard offset >= 0, offset + length <= bytes.count else { return "" }
        return String(decoding: bytes[offset..<offset + length].prefix { $0 != 0 }, as: UTF8.self)
    }

    private func number(_ offset: Int, _ length: Int) -> UInt64? {
        guard offset >= 0, offset <= bytes.count - length else { return nil }
        let part = bytes[offset..<offset + length]
        let ordered = isBigEndian ? Array(part) : part.reversed()
        return ordered.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
