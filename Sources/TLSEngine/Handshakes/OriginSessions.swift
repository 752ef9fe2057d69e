public import ATSPolicy
internal import Bytes
internal import COpenSSL

/// TLS 1.3 sessions that origins offered for resumption. One per event loop and policy: a new policy starts without
/// sessions.
///
/// A resumed handshake shows no certificate, so the chain of the original full handshake is used. A certificate that
/// changed in the meantime is noticed at most ``ageSeconds`` after that handshake. The chain is judged again at every
/// handshake, with the current time. A session is only offered with the context, origin, name and protocols of its
/// first handshake.
///
/// Devices resume too, unless an app turns it off (sec_protocol_options_set_tls_resumption_enabled); how long they keep
/// a session is not documented. Before TLS 1.3 every handshake is full, because a resumed one would also hide the key
/// exchange.
public final class OriginSessions {
    struct Key: Hashable {
        let context: ObjectIdentifier
        let origin: String
        let serverName: String
        let alpn: [String]
    }

    private struct SessionList {
        /// Keeps the context alive, so that its identity in the key is not reused.
        let context: OriginTLSContext
        var sessions: [OriginSession] = []
    }

    private var lists = WeighedCache<Key, SessionList>(
        .sessions, limit: 16 << 20, count: 2 * OriginSessions.originLimit)

    public init() {}

    /// Removes and returns the newest session that is young enough. Each is used once, so that an observer cannot link
    /// connections by it (RFC 8446 appendix C.4).
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

    /// Seconds after a full handshake in which it may be resumed, across all resumptions.
    public static let ageSeconds: Int64 = 120
    /// The number of origins whose sessions are kept, if their sizes are usual.
    public static let originLimit = 512
    /// Sessions kept per origin; servers send two per handshake.
    static let sessionLimit = 8
}

/// A session that can be resumed, with the full handshake it comes from.
final class OriginSession {
    let raw: OpaquePointer
    let roots: FullHandshake

    /// Takes ownership of the caller's reference.
    init(owned raw: OpaquePointer, from roots: FullHandshake) {
        self.raw = raw
        self.roots = roots
    }

    deinit { SSL_SESSION_free(raw) }

    /// True until ``OriginSessions/ageSeconds`` after the full handshake. False for negative ages: a clock set back
    /// must not keep a session alive.
    func isYoung(at now: Int64) -> Bool { 0..<OriginSessions.ageSeconds ~= now - roots.began }
}

/// The facts of a full handshake that its resumptions do not show again.
struct FullHandshake {
    /// Seconds since 1970-01-01 UTC.
    let began: Int64
    let evidence: HandshakeEvidence
}

/// The facts that only a full handshake shows. All sessions and connections that resume it share them.
final class HandshakeEvidence {
    private let facts: HandshakeFacts
    /// The approximate memory of a session: its certificates stay parsed, with all their names.
    let bytes: Int

    init(_ facts: HandshakeFacts) {
        bytes = facts.parsedBytes
        var facts = facts
        // A resumed handshake has its own: OpenSSL keeps the certificates in the session.
        (facts.served, facts.path) = ([], [])
        self.facts = facts
    }

    /// The facts of a handshake that resumed this one.
    func completing(_ resumed: HandshakeFacts) -> HandshakeFacts { resumed.resumed(from: facts) }
}

/// The memory from which a machine towards an origin takes a session, and in which it stores new ones.
public struct SessionScope {
    let sessions: OriginSessions
    let origin: String
    let now: Int64

    /// - Parameters:
    ///   - origin: the dialed target, in any unique form.
    ///   - now: seconds since 1970-01-01 UTC.
    public init(_ sessions: OriginSessions, origin: String, now: Int64) {
        self.sessions = sessions
        self.origin = origin
        self.now = now
    }
}

extension HandshakeFacts {
    /// Approximate memory of a connection or session with these certificates, which stay parsed. Measured: 10 KiB with
    /// a usual chain, and 96 bytes for each name.
    public var parsedBytes: Int {
        served.reduce(10_240) { $0 + 96 * ($1.dnsNames.count + $1.ipAddresses.count + ($1.unkeptNames ?? 0)) }
    }
}
