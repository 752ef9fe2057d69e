import Bytes

/// Reads a hello without OpenSSL.
extension ClientHello {
    /// Reads bytes that are exactly one record with one hello of the usual form; nil for all others, some of which OpenSSL
    /// may accept. OpenSSL accepts all that this accepts, with the same result. Source: RFC 8446 sections 4.1.2, 4.2 and
    /// 5.1.
    public init?(alone bytes: UnsafeRawBufferPointer) {
        var scan = HelloScan(bytes)
        guard scan.number(1) == Self.handshake, scan.number(1) == 3, scan.number(1) != nil,
            let record = scan.sized(2), scan.isAtEnd, record.count <= TLSMachine.recordBytes
        else { return nil }
        scan = HelloScan(record)
        guard scan.number(1) == Self.clientHello, let body = scan.sized(3), scan.isAtEnd else { return nil }
        scan = HelloScan(body)
        guard let legacy = scan.number(2), Self.legacyVersions ~= legacy, scan.take(32) != nil,
            let session = scan.sized(1), session.count <= 32,
            let suites = scan.sized(2), !suites.isEmpty, suites.count.isMultiple(of: 2),
            let compressions = scan.sized(1), !compressions.isEmpty,
            let extensions = scan.sized(2), scan.isAtEnd, let asked = AskedExtensions(extensions)
        else { return nil }
        self.init(serverName: asked.serverName, protocols: asked.protocols)
        isEncrypted = asked.isEncrypted
    }

    private static let handshake = 22
    private static let clientHello = 1
    /// TLS 1.0 to 1.2.
    private static let legacyVersions = 0x0301...0x0303
}

/// The extensions that a decision depends on.
private struct AskedExtensions {
    private(set) var serverName: [UInt8]?
    private(set) var protocols: [UInt8]?
    private(set) var isEncrypted = false

    /// nil if an extension is repeated, or if OpenSSL treats it in a special way.
    init?(_ list: UnsafeRawBufferPointer) {
        var scan = HelloScan(list)
        var low: UInt64 = 0
        var high: [Int] = []
        while !scan.isAtEnd {
            guard let type = scan.number(2), let body = scan.sized(2), !Self.others.contains(type) else { return nil }
            if type < UInt64.bitWidth {
                guard low & 1 << UInt64(type) == 0 else { return nil }
                low |= 1 << UInt64(type)
            } else {
                guard !high.contains(type) else { return nil }
                high.append(type)
            }
            switch type {
            case 0: serverName = Array(body)
            case 16: protocols = Array(body)
            case Int(ClientHello.encryptedClientHello): isEncrypted = true
            // pre_shared_key must be the last (RFC 8446 section 4.2.11).
            case 41: guard scan.isAtEnd else { return nil }
            default: break
            }
        }
    }

    /// Extensions of DTLS and of Russian suites. OpenSSL accepts the first only in DTLS, the second only from servers.
    private static let others = [14, 0xFDE8]
}

/// Like ``WireCursor``, but reads in place.
private struct HelloScan {
    private let view: ByteView
    private var index = 0

    init(_ bytes: UnsafeRawBufferPointer) { view = ByteView(bytes) }

    var isAtEnd: Bool { index == view.count }

    mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count <= view.count - index else { return nil }
        defer { index += count }
        return view.slice(index..<index + count)
    }

    /// A number of up to four bytes.
    mutating func number(_ count: Int) -> Int? {
        guard let digits = take(count) else { return nil }
        var number = 0
        for digit in digits { number = number << 8 | Int(digit) }
        return number
    }

    mutating func sized(_ count: Int) -> UnsafeRawBufferPointer? { number(count).flatMap { take($0) } }
}
