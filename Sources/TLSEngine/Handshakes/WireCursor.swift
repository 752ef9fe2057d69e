/// Reads numbers and sized parts out of bytes, the highest byte first, and never past their end. Source: RFC 8446
/// section 3.
struct WireCursor {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }
    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    /// So many bytes; nil where there are fewer.
    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// A number of up to four bytes.
    mutating func number(bytes: Int) -> Int? { take(bytes)?.reduce(0) { $0 << 8 | Int($1) } }

    /// What stands behind its own size.
    mutating func sized(by bytes: Int) -> ArraySlice<UInt8>? { number(bytes: bytes).flatMap { take($0) } }

    /// A list of extensions, each once; nil where it is none, empty where nothing is left.
    /// Source: RFC 8446 section 4.2.
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
