#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The operations that a socket can do without blocking.
struct SocketReadiness: OptionSet {
    let rawValue: UInt8

    static let reading = SocketReadiness(rawValue: 1)
    static let writing = SocketReadiness(rawValue: 2)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// - Parameter events: as poll(2) reports them. A broken socket is ready for both: using it returns the error.
    init(events: Int16) {
        self = events & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 ? [.reading, .writing] : []
        if events & Int16(POLLIN) != 0 { insert(.reading) }
        if events & Int16(POLLOUT) != 0 { insert(.writing) }
    }

    /// The events to poll for.
    var events: Int16 { Int16((contains(.reading) ? POLLIN : 0) | (contains(.writing) ? POLLOUT : 0)) }

    /// Waits for one of `wanted`; nil if the deadline passes.
    static func wait(
        _ socket: Int32, for wanted: SocketReadiness, until deadline: ContinuousClock.Instant
    ) -> SocketReadiness? {
        while true {
            var looked = pollfd(fd: socket, events: wanted.events, revents: 0)
            let left = (deadline - .now).milliseconds
            // One more, so that a wait does not end a fraction too early and repeat immediately.
            let found = poll(&looked, 1, left < 0 ? 0 : Int32(clamping: left + 1))
            if found > 0 { return SocketReadiness(events: looked.revents) }
            if found == 0, deadline <= .now { return nil }
            // After a signal, poll again; on any other error, using the socket reports it.
            if found < 0, errno != EINTR { return wanted }
        }
    }
}

extension Duration {
    /// Whole milliseconds; fractions are dropped.
    var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}
