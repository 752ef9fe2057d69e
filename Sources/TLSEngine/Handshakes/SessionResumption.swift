internal import COpenSSL

/// Connects one machine with ``OriginSessions``: the session it offers, and the sessions that the origin sends.
/// OpenSSL's callback holds a pointer to it.
final class SessionResumption {
    private enum Stage {
        /// The handshake is not judged yet; new sessions wait here.
        case waiting([OpaquePointer])
        case approved(FullHandshake)
    }

    /// The full handshake that the offered session comes from; nil if none is offered.
    private(set) var offered: FullHandshake?
    /// The evidence of this handshake, once its facts were read; stays nil for a resumed handshake.
    var shown: HandshakeEvidence?

    /// True after a session came, until OpenSSL's read buffers were freed.
    // Unchecked: a flag that is only loaded or stored as a whole, with no call into OpenSSL during an access.
    @exclusivity(unchecked) var hasNewSession = false

    private let memory: SessionScope
    private let key: OriginSessions.Key
    private let context: OriginTLSContext
    private var stage = Stage.waiting([])

    init(_ memory: SessionScope, context: OriginTLSContext, serverName: String, alpn: [String]) {
        self.memory = memory
        self.context = context
        key = OriginSessions.Key(
            context: ObjectIdentifier(context), origin: memory.origin, serverName: serverName, alpn: alpn)
    }

    deinit {
        if case .waiting(let sessions) = stage { for raw in sessions { SSL_SESSION_free(raw) } }
    }

    /// Stores a pointer to this object, which must outlive the connection's last call, and offers a session if one is
    /// kept.
    func attach(to connection: ConnectionHandle) -> Bool {
        guard SSL_set_ex_data(connection.raw, 0, Unmanaged.passUnretained(self).toOpaque()) == 1 else { return false }
        guard let session = memory.sessions.take(key, at: memory.now) else { return true }
        offered = session.roots
        return SSL_set_session(connection.raw, session.raw) == 1
    }

    static func of(_ connection: OpaquePointer?) -> SessionResumption? {
        guard let pointer = SSL_get_ex_data(connection, 0) else { return nil }
        return Unmanaged<SessionResumption>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// The body of the new session callback. Returns true if it takes ownership of the reference
    /// (SSL_CTX_sess_set_new_cb(3)).
    func take(_ raw: OpaquePointer) -> Bool {
        hasNewSession = true
        guard SSL_SESSION_get_protocol_version(raw) >= TLS1_3_VERSION else { return false }
        switch stage {
        case .approved(let roots): keep(raw, from: roots)
        case .waiting(let sessions):
            guard sessions.count < Self.limit else { return false }
            stage = .waiting(sessions + [raw])
        }
        return true
    }

    /// Keeps the waiting sessions and later ones, because the handshake was approved.
    func approve(isResumed: Bool) {
        let full = shown.map { FullHandshake(began: memory.now, evidence: $0) }
        guard case .waiting(let sessions) = stage, let roots = isResumed ? offered : full else { return }
        stage = .approved(roots)
        for raw in sessions { keep(raw, from: roots) }
    }

    private func keep(_ raw: OpaquePointer, from roots: FullHandshake) {
        memory.sessions.keep(OriginSession(owned: raw, from: roots), for: key, under: context, at: memory.now)
    }

    /// The maximum number of waiting sessions.
    private static let limit = 4
}
