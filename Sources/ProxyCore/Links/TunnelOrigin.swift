import Records

/// The facts about a tunnel's origin, for records and for the next link.
struct TunnelOrigin {
    /// The origin of the latest handshake; nil before the first.
    private(set) var recorded: RecordedOrigin?
    /// The parent proxy that the tunnel goes through.
    private(set) var via: String?
    /// Microseconds that connecting took; nil for a connection from the pool.
    private(set) var connectTicks: Int64?
    /// Microseconds of its last handshake.
    private(set) var handshakeTicks: Int64?

    /// Notes a new link of the tunnel.
    mutating func linkConnected(_ link: OriginLink) {
        if !link.hasRested { connectTicks = link.connectTicks }
        via = link.route.parent
    }

    /// Notes the result of a handshake.
    ///
    /// - Parameter handshakeTicks: nil if no handshake was needed.
    mutating func judged(_ origin: RecordedOrigin, handshakeTicks: Int64?) {
        recorded = origin
        if let handshakeTicks { self.handshakeTicks = handshakeTicks }
    }
}
