internal import COpenSSL

/// One machine's dealings with ``OriginSessions``: the session it offers, and those that the origin gives. Reached
/// from OpenSSL's callback.
final class SessionResumption {
    private enum Stage {
        /// The handshake is not judged yet; what is given waits here.
        case waiting([OpaquePointer])
        case approved(FullHandshake)
    }

    /// What the session that is offered stands for; nil where none is.
    private(set) var offered: FullHandshake?
    /// What this handshake showed, once its facts were asked for; stays nil when it resumes another.
    var shown: HandshakeEvidence?

    /// A session came, and what was set up to read it may still be there.
    // Unchecked: a flag that is loaded, or stored, and OpenSSL is not called meanwhile.
    @exclusivity(unchecked) var hasHeard = false

    private let memory: OriginMemory
    private let key: OriginSessions.Key
    private let context: OriginTLSContext
    private var stage = Stage.waiting([])

    init(_ memory: OriginMemory, context: OriginTLSContext, serverName: String, alpn: [String]) {
        self.memory = memory
        self.context = context
        key = OriginSessions.Key(
            context: ObjectIdentifier(context), origin: memory.origin, serverName: serverName, alpn: alpn)
    }

    deinit {
        if case .waiting(let sessions) = stage { for raw in sessions { SSL_SESSION_free(raw) } }
    }

    /// Lets a connection find this object again, which must outlive its last call, and has it offer a session.
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

    /// Body of the new session callback: whether the reference is taken over (SSL_CTX_sess_set_new_cb(3)).
    func take(_ raw: OpaquePointer) -> Bool {
        hasHeard = true
        guard SSL_SESSION_get_protocol_version(raw) >= TLS1_3_VERSION else { return false }
        switch stage {
        case .approved(let roots): keep(raw, from: roots)
        case .waiting(let sessions):
            guard sessions.count < Self.limit else { return false }
            stage = .waiting(sessions + [raw])
        }
        return true
    }

    /// The handshake was found sound: what waits is kept, and what is still to come.
    func approve(isResumed: Bool) {
        let full = shown.map { FullHandshake(began: memory.now, evidence: $0) }
        guard case .waiting(let sessions) = stage, let roots = isResumed ? offered : full else { return }
        stage = .approved(roots)
        for raw in sessions { keep(raw, from: roots) }
    }

    private func keep(_ raw: OpaquePointer, from roots: FullHandshake) {
        memory.sessions.keep(OriginSession(owned: raw, from: roots), for: key, under: context, at: memory.now)
    }

    /// Sessions that wait at most.
    private static let limit = 4
}
