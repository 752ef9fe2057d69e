internal import HTTPWire

/// The pseudo-header fields of RFC 9113 section 8.3 and RFC 8441 section 4.
enum PseudoField: UInt8 {
    case method, scheme, authority, path, `protocol`, status

    init?(_ name: UnsafeRawBufferPointer) {
        if name.isEqual(":path") {
            self = .path
        } else if name.isEqual(":method") {
            self = .method
        } else if name.isEqual(":authority") {
            self = .authority
        } else if name.isEqual(":scheme") {
            self = .scheme
        } else if name.isEqual(":status") {
            self = .status
        } else if name.isEqual(":protocol") {
            self = .protocol
        } else {
            return nil
        }
    }
}

/// The received pseudo-header fields of a head.
struct PseudoDraft {
    private var seen: UInt8 = 0
    private(set) var method: Method?
    private(set) var target: RequestTarget?
    private(set) var scheme = ""
    private(set) var protocolName: String?
    private(set) var status = 0
    /// Rejected values by field, for the record of the request.
    private var refused: [PseudoField: String] = [:]

    func has(_ field: PseudoField) -> Bool { seen & (1 << field.rawValue) != 0 }

    /// Adds a field, except the authority, which the gatherer adds.
    ///
    /// - Returns: false if the field was there before.
    /// - Throws: the error in its value.
    mutating func take(_ field: PseudoField, _ value: UnsafeRawBufferPointer) throws(WireError) -> Bool {
        guard !has(field) else { return false }
        seen |= 1 << field.rawValue
        switch field {
        case .path: target = try RequestTarget(path: value)
        case .method: method = try Self.token(value)
        case .scheme: scheme = try Self.scheme(value)
        case .status: status = try Self.status(value)
        case .protocol: protocolName = try Self.token(value).name
        case .authority: break
        }
        return true
    }

    /// Keeps an invalid value for the report of the rejected request.
    mutating func noteRefused(_ field: PseudoField, _ value: UnsafeRawBufferPointer) {
        refused[field] = String(decoding: value, as: UTF8.self)
    }

    /// Returns the received value as text.
    func text(_ field: PseudoField) -> String? {
        if let text = refused[field] { return text }
        switch (field, target) {
        case (.method, _): return method?.name
        case (.scheme, _): return has(.scheme) ? scheme : nil
        case (.path, .path(let path)): return path
        case (.path, .asterisk): return "*"
        default: return nil
        }
    }

    private static func token(_ value: UnsafeRawBufferPointer) throws(WireError) -> Method {
        guard let method = Method(untrusted: value) else { throw .badStartLine }
        return method
    }

    /// Reads a scheme (RFC 3986 section 3.1). Common schemes allocate no text.
    private static func scheme(_ value: UnsafeRawBufferPointer) throws(WireError) -> String {
        if value.isEqual("https") { return "https" }
        if value.isEqual("http") { return "http" }
        guard let first = value.first, isLetter(first) else { throw .badTarget }
        let isScheme = value.allSatisfy {
            isLetter($0) || $0 &- 0x30 < 10 || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E
        }
        guard isScheme else { throw .badTarget }
        return String(decoding: value, as: UTF8.self)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

    /// Reads three digits; 101 does not exist in HTTP/2 (RFC 9113 section 8.6).
    private static func status(_ value: UnsafeRawBufferPointer) throws(WireError) -> Int {
        var status = 0
        for byte in value {
            guard byte &- 0x30 < 10 else { throw .badStartLine }
            status = status * 10 + Int(byte &- 0x30)
            guard status < 1_000 else { throw .badStartLine }
        }
        guard value.count == 3, status >= 100, status != 101 else { throw .badStartLine }
        return status
    }
}

extension UnsafeRawBufferPointer {
    /// True if the bytes are `text`.
    @inline(__always)
    func isEqual(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        var index = 0
        while index < count {
            if self[index] != text.utf8Start[index] { return false }
            index &+= 1
        }
        return true
    }
}
