import Capture
import Foundation
import Synchronization
import Testing

/// A socket closes its descriptor as soon as it is no longer used, and not before.
@Suite("datagram sockets")
struct DatagramSocketTests {
    private let ours: Int32
    /// The other end, which notices when ours is closed.
    private let other: Int32

    init() throws {
        #if canImport(Darwin)
        let stream = SOCK_STREAM
        #else
        let stream = Int32(SOCK_STREAM.rawValue)
        #endif
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, stream, 0, &ends) == 0)
        (ours, other) = (ends[0], ends[1])
    }

    /// True if our end is closed within 30 seconds.
    private func closes() -> Bool {
        var waiting = pollfd(fd: other, events: Int16(POLLIN), revents: 0)
        var byte: UInt8 = 0
        return poll(&waiting, 1, 30_000) == 1 && recv(other, &byte, 1, 0) == 0
    }

    @Test(
        "a stopped socket closes its descriptor, started or not, and receives no more",
        arguments: [true, false])
    func stopped(isStarted: Bool) {
        defer { close(other) }
        let taken = Mutex<[[UInt8]]>([])
        let socket = DatagramSocket(ours, longest: 16) { bytes, _ in taken.withLock { $0.append(bytes) } }
        if isStarted { socket.start() }
        #expect(send(other, [1, 2, 3] as [UInt8], 3, 0) == 3)
        socket.drain()
        #expect(taken.withLock { $0 } == [[1, 2, 3]])
        socket.stop()
        socket.stop()
        socket.drain()
        #expect(closes())
        socket.drain()
        #expect(taken.withLock { $0.count } == 1)
    }

    @Test("a released socket closes its descriptor, and later answers are dropped")
    func letGo() {
        defer { close(other) }
        let answers = Mutex<[@Sendable ([UInt8]) -> Void]>([])
        do {
            let socket = DatagramSocket(ours, longest: 16) { _, answer in answers.withLock { $0.append(answer) } }
            socket.start()
            #expect(send(other, [1] as [UInt8], 1, 0) == 1)
            socket.drain()
        }
        #expect(answers.withLock { $0.count } == 1)
        #expect(closes())
        for answer in answers.withLock({ $0 }) { answer([2]) }
    }
}
