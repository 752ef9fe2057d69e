import Records

/// What is known of a tunnel's origin, for records and for the next link.
struct TunnelOrigin {
    /// As it was met last; nil before it was.
    private(set) var recorded: RecordedOrigin?
    /// The parent proxy that the tunnel goes through.
    private(set) var via: String?
    /// Microseconds that connecting took; nil for a connection from the pool.
    private(set) var connectTicks: Int64?
    /// Microseconds of its last handshake.
    private(set) var handshakeTicks: Int64?
    /// Whether sessions of it may be resumed; not after a handshake that offered one broke.
    private(set) var resumes = true

    /// A link of the tunnel is there.
    mutating func met(_ link: OriginLink) {
        if !link.hasRested { connectTicks = link.connectTicks }
        via = link.route.parent
    }

    /// A handshake has shown it.
    ///
    /// - Parameter handshakeTicks: nil where none was needed.
    mutating func judged(_ origin: RecordedOrigin, handshakeTicks: Int64?) {
        recorded = origin
        if let handshakeTicks { self.handshakeTicks = handshakeTicks }
    }

    /// It broke a handshake that offered a session.
    mutating func stumbled() { resumes = false }
}
