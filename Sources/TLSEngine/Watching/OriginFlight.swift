public import ATSPolicy
import Bytes

/// Reads the unencrypted messages that an origin sends a client: everything that ATS requires of a handshake up to TLS
/// 1.2, and version and suite of TLS 1.3. Source: RFC 5246 section 7.4, RFC 8446 section 4.
///
/// Keeps at most ``limitBytes``. The result does not depend on how the bytes are split.
public struct OriginFlight {
    public enum Observation: Sendable, Hashable {
        /// More bytes are needed.
        case going
        /// HelloRetryRequest: the client sends a second hello, then the origin continues.
        case retry(TLSVersion, suite: UInt16)
        /// TLS 1.3: all later bytes are encrypted.
        case sealed(TLSVersion, suite: UInt16)
        /// Up to TLS 1.2, with the certificates in DER, leaf first; none if the suite needs none.
        case shown(TLSVersion, suite: UInt16, chain: [[UInt8]])
        /// Up to TLS 1.2: an earlier session is resumed, and no certificate is sent.
        case resumed(TLSVersion, suite: UInt16)
        /// The origin ended the handshake with this alert.
        case refused(alert: UInt8)
        /// Not TLS, or malformed TLS.
        case unreadable
    }

    private var records = ClearRecords()
    private var hello: (version: TLSVersion, suite: UInt16)?
    private var hasRetried = false
    private var last = Observation.going

    public init() {}

    /// Reads the next bytes. After ``Observation/retry(_:suite:)``, call it again, with no bytes if none have arrived:
    /// the next sight may be buffered already. Every other sight except ``Observation/going`` is final.
    public mutating func read(_ bytes: UnsafeRawBufferPointer) -> Observation {
        switch last {
        case .going, .retry: break
        case .sealed, .shown, .resumed, .refused, .unreadable: return last
        }
        records.append(bytes)
        last = .going
        do throws(ClearRecords.Unreadable) {
            while case .going = last, let piece = try records.next() { last = try observation(of: piece) }
        } catch {
            last = .unreadable
        }
        return last
    }

    private mutating func observation(of piece: ClearRecords.Piece) throws(ClearRecords.Unreadable) -> Observation {
        switch piece {
        case .alert(let level, let number):
            return level == Self.warning && number != 0 ? .going : .refused(alert: number)
        case .data: throw ClearRecords.Unreadable()
        case .changeOfCipher:
            guard let hello else {
                // Sent for the sake of middleboxes (RFC 8446 appendix D.4).
                if hasRetried { return .going }
                throw ClearRecords.Unreadable()
            }
            return .resumed(hello.version, suite: hello.suite)
        case .message(let type, let body):
            guard let hello else { return try begun(type, body) }
            switch type {
            case Self.certificate:
                guard let chain = Self.readChain(body) else { throw ClearRecords.Unreadable() }
                return .shown(hello.version, suite: hello.suite, chain: chain)
            case Self.newSessionTicket: return .resumed(hello.version, suite: hello.suite)
            case Self.serverKeyExchange, Self.certificateRequest, Self.serverHelloDone:
                return .shown(hello.version, suite: hello.suite, chain: [])
            default: return .going
            }
        }
    }

    /// The first message is a ServerHello; a HelloRequest before it is ignored (RFC 5246 section 7.4.1.1).
    private mutating func begun(_ type: UInt8, _ body: [UInt8]) throws(ClearRecords.Unreadable) -> Observation {
        if type == Self.helloRequest, body.isEmpty { return .going }
        guard type == Self.serverHello, let (version, suite, isRetry) = Self.readServerHello(body) else {
            throw ClearRecords.Unreadable()
        }
        guard version >= .tls13 else {
            if hasRetried { throw ClearRecords.Unreadable() }
            hello = (version, suite)
            return .going
        }
        guard isRetry else { return .sealed(version, suite: suite) }
        if hasRetried { throw ClearRecords.Unreadable() }
        hasRetried = true
        return .retry(version, suite: suite)
    }

    /// Source: RFC 8446 section 4.1.3.
    private static func readServerHello(_ body: [UInt8]) -> (version: TLSVersion, suite: UInt16, isRetry: Bool)? {
        var cursor = WireCursor(body)
        guard let legacy = cursor.number(bytes: 2), let random = cursor.take(32), cursor.sized(by: 1) != nil,
            let suite = cursor.number(bytes: 2), cursor.number(bytes: 1) != nil, let extensions = cursor.extensions()
        else { return nil }
        var version = TLSVersion(rawValue: UInt16(truncatingIfNeeded: legacy))
        if let selected = extensions[Self.supportedVersions] {
            var number = WireCursor(selected)
            version = number.number(bytes: 2).flatMap { TLSVersion(rawValue: UInt16(truncatingIfNeeded: $0)) }
            guard number.isAtEnd, version == .tls13 else { return nil }
        } else if version == .tls13 {
            return nil
        }
        return version.map { ($0, UInt16(truncatingIfNeeded: suite), random.elementsEqual(Self.retryRandom)) }
    }

    /// Source: RFC 5246 section 7.4.2.
    private static func readChain(_ body: [UInt8]) -> [[UInt8]]? {
        var cursor = WireCursor(body)
        guard let list = cursor.sized(by: 3), cursor.isAtEnd else { return nil }
        var entries = WireCursor(list)
        var chain: [[UInt8]] = []
        while !entries.isAtEnd {
            guard let entry = entries.sized(by: 3), !entry.isEmpty else { return nil }
            chain.append(Array(entry))
        }
        return chain
    }

    /// The highest number of bytes that are read.
    public static let limitBytes = ClearRecords.limitBytes
    /// RFC 5246 section 7.2.
    private static let warning: UInt8 = 1
    // Message types: RFC 5246 section 7.4, RFC 5077 section 3.3.
    private static let helloRequest: UInt8 = 0
    private static let serverHello: UInt8 = 2
    private static let newSessionTicket: UInt8 = 4
    private static let certificate: UInt8 = 11
    private static let serverKeyExchange: UInt8 = 12
    private static let certificateRequest: UInt8 = 13
    private static let serverHelloDone: UInt8 = 14
    /// RFC 8446 section 4.2.
    private static let supportedVersions = 43
    /// The random value of a ServerHello that is a HelloRetryRequest (RFC 8446 section 4.1.3).
    private static let retryRandom: [UInt8] = [
        0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8, 0x91,
        0xC2, 0xA2, 0x11, 0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8, 0x33, 0x9C,
    ]
}

/// Reads a client's answer to a HelloRetryRequest. This hello may differ little from the first, and not in the server's
/// name (RFC 8446 section 4.1.2), but not all servers check that.
public struct SecondHello {
    public enum Observation: Sendable, Hashable {
        /// More bytes are needed.
        case going
        case name(ServerName)
        /// The client ended the handshake.
        case refused
        case unreadable
    }

    private var records = ClearRecords()

    public init() {}

    /// Reads the next bytes. Every sight except ``Observation/going`` is final.
    public mutating func read(_ bytes: UnsafeRawBufferPointer) -> Observation {
        records.append(bytes)
        do throws(ClearRecords.Unreadable) {
            while let piece = try records.next() {
                switch piece {
                // Early data that the origin rejects (RFC 8446 section 4.2.10).
                case .changeOfCipher, .data: continue
                // Servers ignore user_canceled, and some ignore other warnings: the next message counts (RFC 8446 section
                // 6.1).
                case .alert(let level, let number):
                    guard number == Self.userCanceled || level == Self.warning && number != 0 else { return .refused }
                case .message(let type, let body):
                    guard type == Self.clientHello, let name = Self.serverName(in: body) else { return .unreadable }
                    return .name(name)
                }
            }
            return .going
        } catch {
            return .unreadable
        }
    }

    /// Source: RFC 8446 section 4.1.2.
    private static func serverName(in body: [UInt8]) -> ServerName? {
        var cursor = WireCursor(body)
        guard cursor.take(34) != nil, cursor.sized(by: 1) != nil, cursor.sized(by: 2) != nil,
            cursor.sized(by: 1) != nil, let extensions = cursor.extensions()
        else { return nil }
        return extensions[0].map { ServerName(in: $0) } ?? .absent
    }

    /// Returns the length of a client's first hello: whole records, up to the one that completes it. nil if these records
    /// contain more than that message, or less. Later bytes may be another hello. Source: RFC 8446 section 5.1.
    public static func lengthOfFirst(in bytes: UnsafeRawBufferPointer) -> Int? {
        var (length, payload, head) = (0, 0, [UInt8]())
        let view = ByteView(bytes)
        while length + 5 <= view.count, view[length] == Self.handshake {
            let body = view.number16(at: length + 3)
            guard length + 5 + body <= view.count else { return nil }
            head += view.slice((length + 5)..<(length + 5 + body)).prefix(4 - head.count)
            payload += body
            length += 5 + body
            guard head.count == 4 else { continue }
            let message = 4 + Int(head[1]) << 16 + Int(head[2]) << 8 + Int(head[3])
            if payload >= message { return payload == message ? length : nil }
        }
        return nil
    }

    private static let clientHello: UInt8 = 1
    /// RFC 8446 section 5.1.
    private static let handshake: UInt8 = 22
    /// RFC 8446 section 6.
    private static let warning: UInt8 = 1
    private static let userCanceled: UInt8 = 90
}
