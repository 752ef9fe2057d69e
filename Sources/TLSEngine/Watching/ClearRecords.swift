/// Splits one side's unencrypted TLS bytes into records, and handshake records into messages. Source: RFC 5246 section
/// 6.2.1, RFC 8446 section 5.1.
struct ClearRecords {
    enum Piece {
        case message(type: UInt8, body: [UInt8])
        case alert(level: UInt8, number: UInt8)
        case changeOfCipher
        /// An encrypted record.
        case data
    }

    /// The bytes are not TLS, or exceed a limit.
    struct Unreadable: Error {}

    private var wire: [UInt8] = []
    /// The offset in `wire` where the next record begins.
    private var start = 0
    /// Handshake bytes that do not form a whole message yet.
    private var messages: [UInt8] = []
    private var used = 0

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        wire.removeFirst(start)
        start = 0
        wire.append(contentsOf: bytes)
    }

    /// Returns the next complete piece; nil if more bytes are needed.
    mutating func next() throws(Unreadable) -> Piece? {
        while true {
            if let message = try nextMessage() { return message }
            guard let (type, body) = try nextRecord() else { return nil }
            if type == Self.handshake {
                guard !body.isEmpty else { throw Unreadable() }
                messages += body
                continue
            }
            // Other records must not interrupt a message.
            guard messages.isEmpty else { throw Unreadable() }
            switch type {
            case Self.change: return .changeOfCipher
            case Self.data: return .data
            default:
                guard let level = body.first, let number = body.last, body.count == 2 else { throw Unreadable() }
                return .alert(level: level, number: number)
            }
        }
    }

    private mutating func nextMessage() throws(Unreadable) -> Piece? {
        var cursor = WireCursor(messages)
        guard let type = cursor.number(bytes: 1), let length = cursor.number(bytes: 3) else { return nil }
        guard length <= Self.limitBytes else { throw Unreadable() }
        guard let body = cursor.take(length) else { return nil }
        messages.removeFirst(4 + length)
        return .message(type: UInt8(truncatingIfNeeded: type), body: Array(body))
    }

    private mutating func nextRecord() throws(Unreadable) -> (type: UInt8, body: ArraySlice<UInt8>)? {
        var cursor = WireCursor(wire[start...])
        guard let type = cursor.number(bytes: 1) else { return nil }
        guard Int(Self.change)...Int(Self.data) ~= type else { throw Unreadable() }
        guard let major = cursor.number(bytes: 1) else { return nil }
        guard major == 3 else { throw Unreadable() }
        guard cursor.take(1) != nil, let length = cursor.number(bytes: 2) else { return nil }
        guard length <= Self.longestRecord, used + 5 + length <= Self.limitBytes else { throw Unreadable() }
        guard let body = cursor.take(length) else { return nil }
        used += 5 + length
        start += 5 + length
        return (UInt8(truncatingIfNeeded: type), body)
    }

    /// Content types; RFC 8446 section 5.1.
    private static let change: UInt8 = 20
    private static let handshake: UInt8 = 22
    private static let data: UInt8 = 23
    /// Longest body of a record: that of an encrypted one (RFC 5246 section 6.2.3).
    private static let longestRecord = 18_432
    /// Total bytes read. OpenSSL accepts chains of 102,400 (SSL_CTX_set_max_cert_list(3)).
    static let limitBytes = 131_072
}
