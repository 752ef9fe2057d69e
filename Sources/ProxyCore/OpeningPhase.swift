import ATSPolicy

/// How far a CONNECT has come.
enum OpeningPhase {
    /// The origin is being dialed; the client waits for its 200.
    case dialing
    /// 200 was sent; the client's first bytes will tell TLS from cleartext.
    case awaitingFirstBytes
    /// The ClientHello has begun but is not all here. A refusal that is certain already waits for its end, too.
    case readingHello(refusal: LoadFailure?)
    /// The link at hand did not suit what the client said; a new one is being dialed for it.
    case redialing(for: TunnelContent)
    /// The ClientHello is held while the origin's handshake runs.
    case originHandshake
    /// The client's own bytes will be relayed; a handshake of ours judges the origin first.
    case judgingPassthrough
    /// The origin's handshake broke; a second one, offering everything, is to show why.
    case diagnosing(HandshakeFailure)
    /// The client's handshake is being finished with our leaf.
    case clientHandshake

    /// An answer to an order to connect may still be owed.
    var isDialing: Bool {
        switch self {
        case .dialing, .redialing, .judgingPassthrough, .diagnosing: true
        case .awaitingFirstBytes, .readingHello, .originHandshake, .clientHandshake: false
        }
    }
}

/// What a CONNECT tunnel carries, told by its first bytes.
enum TunnelContent: Sendable {
    case tls
    case http
    /// HTTP/2 with prior knowledge. Source: RFC 9113 section 3.3.
    case http2
    case other
    /// Not yet clear.
    case unknown

    /// - Parameter bytes: what the client has sent so far.
    init(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.first else {
            self = .unknown
            return
        }
        // A TLS record of type handshake. Source: RFC 8446 section 5.1.
        if first == 0x16 {
            self = .tls
            return
        }
        var candidates = false
        for (text, content) in Self.openings {
            let shared = min(bytes.count, text.utf8CodeUnitCount)
            let known = UnsafeRawBufferPointer(start: text.utf8Start, count: shared)
            guard known.elementsEqual(bytes.prefix(shared)) else { continue }
            if shared == text.utf8CodeUnitCount {
                self = content
                return
            }
            candidates = true
        }
        self = candidates ? .unknown : .other
    }

    /// Whether an origin's first words may be the preface of an HTTP/2 server, which need not wait for the client's: a
    /// SETTINGS frame on stream 0 that acknowledges nothing. Source: RFC 9113 sections 3.4, 4.1 and 6.5.
    static func mayBeServerPreface(_ bytes: UnsafeRawBufferPointer) -> Bool {
        zip(bytes, serverPreface).allSatisfy { byte, wanted in wanted == nil || byte == wanted }
    }

    /// Length, of which the first byte is 0 for every frame that may come yet; type; flags; stream.
    private static let serverPreface: [UInt8?] = [0, nil, nil, 4, 0, 0, 0, 0, 0]

    /// Source: RFC 9110 section 9, RFC 5789; RFC 9113 section 3.4.
    private static let openings: [(text: StaticString, content: TunnelContent)] = [
        ("GET ", .http), ("HEAD ", .http), ("POST ", .http), ("PUT ", .http), ("DELETE ", .http), ("OPTIONS ", .http),
        ("PATCH ", .http), ("TRACE ", .http), ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .http2),
    ]
}
