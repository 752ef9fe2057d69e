/// Reads big-endian numbers and length-prefixed parts of a byte array, never past its end. Source: RFC 8446 section 3.
struct WireCursor {
    private let bytes: ArraySlice<UInt8>
    private var index: Int

    init(_ bytes: [UInt8]) { self.init(bytes[...]) }

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    var isAtEnd: Bool { index == bytes.endIndex }

    /// Returns the next `count` bytes; nil if fewer are left.
    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= bytes.endIndex - index else { return nil }
        defer { index += count }
        return bytes[index..<index + count]
    }

    /// A number of up to four bytes.
    mutating func number(bytes count: Int) -> Int? {
        guard count <= bytes.endIndex - index else { return nil }
        var number = 0
        for _ in 0..<count {
            number = number << 8 | Int(bytes[index])
            index += 1
        }
        return number
    }

    /// Returns the bytes after a length prefix of `bytes` bytes.
    mutating func sized(by bytes: Int) -> ArraySlice<UInt8>? { number(bytes: bytes).flatMap { take($0) } }

    /// Returns a list of extensions, each once; nil if it is malformed, empty if no bytes are left. Source: RFC 8446
    /// section 4.2.
    mutating func extensions() -> [Int: [UInt8]]? {
        if isAtEnd { return [:] }
        guard let list = sized(by: 2), isAtEnd else { return nil }
        var entries = WireCursor(list)
        var found: [Int: [UInt8]] = [:]
        while !entries.isAtEnd {
            guard let type = entries.number(bytes: 2), let body = entries.sized(by: 2),
                found.updateValue(Array(body), forKey: type) == nil
            else { return nil }
        }
        return found
    }
}
