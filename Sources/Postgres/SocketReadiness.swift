#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// What a socket can do without waiting.
struct SocketReadiness: OptionSet {
    let rawValue: UInt8

    static let reading = SocketReadiness(rawValue: 1)
    static let writing = SocketReadiness(rawValue: 2)

    /// Waits for one of `wanted`; nil when the deadline passes before. A socket that has broken can do both: who reads
    /// it hears of that.
    static func wait(
        _ socket: Int32, for wanted: SocketReadiness, until deadline: ContinuousClock.Instant
    ) -> SocketReadiness? {
        let reads = Int16(wanted.contains(.reading) ? POLLIN : 0)
        let writes = Int16(wanted.contains(.writing) ? POLLOUT : 0)
        while true {
            var looked = pollfd(fd: socket, events: reads | writes, revents: 0)
            let left = (deadline - .now).milliseconds
            // One more, so that it does not end too early by a part of one and ask again at once.
            let found = poll(&looked, 1, left < 0 ? 0 : Int32(clamping: left + 1))
            if found > 0 { return readiness(looked.revents) }
            if found == 0, deadline <= .now { return nil }
            // A signal came between, which says nothing; for all else whoever uses the socket hears what is wrong.
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
    /// Parts of one dropped.
    var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}
