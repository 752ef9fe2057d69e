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

    /// Waits for one of `wanted`; nil if the deadline passes. A broken socket is ready for both: using it returns the
    /// error.
    static func wait(
        _ socket: Int32, for wanted: SocketReadiness, until deadline: ContinuousClock.Instant
    ) -> SocketReadiness? {
        let reads = Int16(wanted.contains(.reading) ? POLLIN : 0)
        let writes = Int16(wanted.contains(.writing) ? POLLOUT : 0)
        while true {
            var looked = pollfd(fd: socket, events: reads | writes, revents: 0)
            let left = (deadline - .now).milliseconds
            // One more, so that a wait does not end a fraction too early and repeat immediately.
            let found = poll(&looked, 1, left < 0 ? 0 : Int32(clamping: left + 1))
            if found > 0 { return readiness(looked.revents) }
            if found == 0, deadline <= .now { return nil }
            // After a signal, poll again; on any other error, using the socket reports it.
            if found < 0, errno != EINTR { return wanted }
        }
    }

    private static func readiness(_ events: Int16) -> SocketReadiness {
        if events & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { return [.reading, .writing] }
        var can: SocketReadiness = []
        if events & Int16(POLLIN) != 0 { can.insert(.reading) }
        if events & Int16(POLLOUT) != 0 { can.insert(.writing) }
        return can
    }
}

extension Duration {
    /// Whole milliseconds; fractions are dropped.
    var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}
