public import ATSPolicy
internal import Bytes
internal import COpenSSL

/// TLS 1.3 sessions that origins have offered to resume. One per event loop and law: a new law starts with none.
///
/// A resumed handshake shows no certificate: the chain of the full handshake behind it speaks for it, so a certificate
/// that was changed meanwhile is seen no later than ``ageSeconds`` after that one. What the chain is worth is judged
/// on every handshake, by the clock of then. A session is only offered under the context, to the origin, and with the
/// name and protocols that it was made with.
///
/// Devices resume, too, unless an app turns it off (sec_protocol_options_set_tls_resumption_enabled); how long they
/// keep a session is not documented. Older versions always shake hands in full: there, resuming would hide the key
/// exchange as well.
public final class OriginSessions {
    struct Key: Hashable {
        let context: ObjectIdentifier
        let origin: String
        let serverName: String
        let alpn: [String]
    }

    private struct SessionList {
        /// Keeps the key's identity from being given to another context.
        let context: OriginTLSContext
        var sessions: [OriginSession] = []
    }

    private var lists = WeighedCache<Key, SessionList>(
        .sessions, limit: 16 << 20, count: 2 * OriginSessions.originLimit)

    public init() {}

    /// The newest session that is young enough. It is handed out once only, so that connections can not be linked by
    /// it (RFC 8446 appendix C.4).
    func take(_ key: Key, at now: Int64) -> OriginSession? {
        guard var list = lists.value(for: key) else { return nil }
        list.sessions.removeAll { !$0.isYoung(at: now) }
        let newest = list.sessions.popLast()
        keep(list, for: key)
        return newest
    }

    func keep(_ session: OriginSession, for key: Key, under context: OriginTLSContext, at now: Int64) {
        var list = lists.value(for: key) ?? SessionList(context: context)
        list.sessions.removeAll { !$0.isYoung(at: now) }
        if list.sessions.count >= Self.sessionLimit { list.sessions.removeFirst() }
        list.sessions.append(session)
        keep(list, for: key)
    }

    private func keep(_ list: SessionList, for key: Key) {
        guard !list.sessions.isEmpty else { return lists.remove(key) }
        lists.keep(list, for: key, bytes: list.sessions.reduce(256) { $0 + $1.roots.evidence.bytes })
    }

    /// Seconds from a full handshake for which it may be resumed, through however many resumptions.
    public static let ageSeconds: Int64 = 120
    /// Origins whose sessions are kept, as far as they weigh no more than usual.
    public static let originLimit = 512
    /// Sessions kept of one origin; servers give two per handshake.
    static let sessionLimit = 8
}

/// What may be resumed.
final class OriginSession {
    let raw: OpaquePointer
    let roots: FullHandshake

    /// Takes over one reference.
    init(owned raw: OpaquePointer, from roots: FullHandshake) {
        self.raw = raw
        self.roots = roots
    }

    deinit { SSL_SESSION_free(raw) }

    /// A clock that was set back must not keep a session alive.
    func isYoung(at now: Int64) -> Bool { 0..<OriginSessions.ageSeconds ~= now - roots.began }
}

/// What a full handshake showed and the resumed ones after it do not show again.
struct FullHandshake {
    /// Seconds since 1970-01-01 UTC.
    let began: Int64
    let evidence: HandshakeEvidence
}

/// What comes with a certificate in a full handshake only. Every session and connection that goes back to the handshake
/// has the same.
final class HandshakeEvidence {
    private let scts: SCTCounts
    private let sctReview: SCTReview?
    private let staple: StapledAnswer?
    private let signature: HandshakeSignature?
    private let clientCertificate: ClientCertificateUse?
    /// Of a session, about: its certificates stay parsed, with all their names.
    let bytes: Int

    init(_ facts: HandshakeFacts) {
        scts = facts.scts
        sctReview = facts.sctReview
        staple = facts.staple
        signature = facts.signature
        clientCertificate = facts.clientCertificate
        bytes = facts.parsedBytes
    }

    func put(into facts: inout HandshakeFacts) {
        facts.scts = scts
        facts.sctReview = sctReview
        facts.staple = staple
        facts.signature = signature
        facts.clientCertificate = clientCertificate
    }
}

/// Where a machine towards an origin may find a session and leave new ones.
public struct OriginMemory {
    let sessions: OriginSessions
    let origin: String
    let now: Int64

    /// - Parameters:
    ///   - origin: what is dialed, in any form that tells it from others.
    ///   - now: seconds since 1970-01-01 UTC.
    public init(_ sessions: OriginSessions, origin: String, now: Int64) {
        self.sessions = sessions
        self.origin = origin
        self.now = now
    }
}

extension HandshakeFacts {
    /// What a connection or session with these certificates takes, about: they stay parsed. Measured: 10 KiB with a
    /// usual chain, and 96 bytes for each name.
    public var parsedBytes: Int {
        served.reduce(10_240) { $0 + 96 * ($1.dnsNames.count + $1.ipAddresses.count + ($1.unkeptNames ?? 0)) }
    }
}
