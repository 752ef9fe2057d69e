#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Carries bytes between libpq and the server in small pieces, and counts those from the server.
///
/// One call of PQconsumeInput reads for as long as the socket has bytes, into a buffer as large as a message claims to
/// be (PostgreSQL 15, src/interfaces/libpq/fe-misc.c, pqReadData). A server that is fast enough would fill it within
/// one call. So libpq's descriptor is one end of a socket pair, which never holds more than the kernel buffers for it,
/// and this holds the other end and the server's socket. TLS runs through it.
final class ServerRelay {
    /// Bytes from the server so far, as they were on the wire.
    private(set) var received = 0
    private let libpq: Int32
    private let identity: SocketIdentity?
    private let near: Int32
    private let server: Int32
    private var toLibpq = Piece()
    private var toServer = Piece()
    private var isServerDone = false
    private var isServerDeaf = false

    /// Puts itself between libpq and its server.
    ///
    /// - Parameter libpq: the descriptor that libpq uses; it keeps its number.
    /// - Returns: nil without free descriptors.
    init?(on libpq: Int32) {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, streamKind, 0, &pair) == 0 else { return nil }
        let server = fcntl(libpq, F_DUPFD_CLOEXEC, 0)
        for end in pair {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
            #if canImport(Darwin)
            var on: Int32 = 1
            setsockopt(end, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
            #endif
        }
        let isDone = server >= 0 && dup2(pair[1], libpq) >= 0 && fcntl(libpq, F_SETFD, FD_CLOEXEC) == 0
        close(pair[1])
        guard isDone else {
            close(pair[0])
            if server >= 0 { close(server) }
            return nil
        }
        (self.libpq, self.server, near, identity) = (libpq, server, pair[0], SocketIdentity(libpq))
    }

    deinit {
        // libpq's last words, "terminate" and TLS's "close notify", are in the pair.
        pump()
        close(near)
        close(server)
    }

    /// True if a descriptor is still the relay's end, and not a new socket of libpq with the same number.
    func serves(_ descriptor: Int32) -> Bool { identity != nil && SocketIdentity(descriptor) == identity }

    /// Carries bytes until libpq can do one of `wanted`; nil if the deadline passes.
    func wait(for wanted: SocketReadiness, until deadline: ContinuousClock.Instant) -> SocketReadiness? {
        while true {
            pump()
            var looked = [
                pollfd(fd: libpq, events: wanted.events, revents: 0),
                pollfd(fd: near, events: events(reads: toServer, writes: toLibpq), revents: 0),
                // poll(2) ignores a negative descriptor; the end of a server would be reported again and again.
                pollfd(
                    fd: isServerDone ? -1 : server, events: events(reads: toLibpq, writes: toServer), revents: 0),
            ]
            let left = (deadline - .now).milliseconds
            // One more, so that a wait does not end a fraction too early and repeat immediately.
            let found = poll(&looked, nfds_t(looked.count), left < 0 ? 0 : Int32(clamping: left + 1))
            // After a signal, poll again; on any other error, using the socket reports it.
            if found < 0, errno != EINTR { return wanted }
            if found > 0, looked[0].revents != 0 { return SocketReadiness(events: looked[0].revents) }
            if deadline <= .now { return nil }
        }
    }

    private func events(reads: Piece, writes: Piece) -> Int16 {
        Int16((reads.isEmpty ? POLLIN : 0) | (writes.isEmpty ? 0 : POLLOUT))
    }

    /// Carries what can be carried at once, up to one piece in each direction.
    private func pump() {
        if toServer.isEmpty { _ = toServer.fill(from: near) }
        // A server that closed its end may have sent the reason before.
        if isServerDeaf || !toServer.drain(to: server) {
            isServerDeaf = true
            toServer.clear()
        }
        guard !isServerDone else { return }
        if toLibpq.isEmpty {
            switch toLibpq.fill(from: server) {
            case .some(let count): received += count
            case nil: isServerDone = true
            }
        }
        _ = toLibpq.drain(to: near)
        if isServerDone { shutdown(near, Int32(SHUT_WR)) }
    }
}

/// Bytes on their way in one direction.
private struct Piece {
    private var bytes = [UInt8](repeating: 0, count: 32 << 10)
    private var range = 0..<0

    var isEmpty: Bool { range.isEmpty }

    mutating func clear() { range = 0..<0 }

    /// Reads once, into an empty piece.
    ///
    /// - Returns: the number of bytes, 0 if none are there yet; nil at the end of the stream.
    mutating func fill(from descriptor: Int32) -> Int? {
        let count = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { return count < 0 && isPassing(errno) ? 0 : nil }
        range = 0..<count
        return count
    }

    /// Writes as much as is taken at once.
    ///
    /// - Returns: false if the other side takes nothing any more.
    mutating func drain(to descriptor: Int32) -> Bool {
        while !range.isEmpty {
            let count = bytes.withUnsafeBytes {
                send(descriptor, $0.baseAddress.map { $0 + range.lowerBound }, range.count, noSignal)
            }
            guard count > 0 else { return isPassing(errno) }
            range = (range.lowerBound + count)..<range.upperBound
        }
        return true
    }

    private func isPassing(_ error: Int32) -> Bool { [EAGAIN, EWOULDBLOCK, EINTR, ENOBUFS].contains(error) }
}

/// Tells a socket from others with the same number: its inode.
private struct SocketIdentity: Equatable {
    private let device: UInt64
    private let inode: UInt64

    init?(_ descriptor: Int32) {
        var found = stat()
        guard fstat(descriptor, &found) == 0 else { return nil }
        (device, inode) = (UInt64(truncatingIfNeeded: found.st_dev), UInt64(truncatingIfNeeded: found.st_ino))
    }
}

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

#if canImport(Darwin)
private let streamKind = SOCK_STREAM
private let noSignal: Int32 = 0
#else
private let streamKind = Int32(SOCK_STREAM.rawValue)
private let noSignal = Int32(MSG_NOSIGNAL)
#endif
