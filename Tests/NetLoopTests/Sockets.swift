import CPoll
import Dispatch
import NetLoop
import TestSupport
import Testing

extension cpoll_address {
    /// 127.0.0.1 with port 0.
    static var loopback: cpoll_address {
        let words: (UInt64, UInt64) = ((UInt64(0x7F00_0001) << 32).bigEndian, 0)
        return cpoll_address(words: words, scope: 0, port: 0, version: 4)
    }
}

/// The descriptors of both ends of one TCP connection over loopback.
struct Pair {
    let near: Int32
    let far: Int32

    init() throws {
        var address = cpoll_address.loopback
        let listener = cpoll_listen(&address, 4)
        try #require(listener >= 0)
        defer { close(listener) }
        try #require(cpoll_local(listener, &address) == 0)
        var dialing: Int32 = -1
        try #require(cpoll_connect(&address, &dialing) >= 0)
        far = try accepted(from: listener)
        near = dialing
    }
}

/// Accepts one connection that is on its way.
func accepted(from listener: Int32) throws -> Int32 {
    var peer = cpoll_address()
    let deadline = EventLoop.monotonicNanoseconds() + 10_000_000_000
    while EventLoop.monotonicNanoseconds() < deadline {
        let answer = cpoll_accept(listener, &peer)
        if answer >= 0 { return answer }
        try #require(answer == -EAGAIN)
    }
    throw Fact<Bool>.NotInTime()
}

/// A listening socket with a full backlog that never accepts: connecting to it hangs.
final class DeafServer {
    let port: Int
    private var descriptors: [Int32] = []

    init() throws {
        var address = cpoll_address.loopback
        // The shortest backlog: 0 means the maximum on macOS (listen(2)).
        let listener = cpoll_listen(&address, 1)
        try #require(listener >= 0)
        descriptors.append(listener)
        try #require(cpoll_local(listener, &address) == 0)
        port = Int(address.port)
        for _ in 0..<4 {
            var descriptor: Int32 = -1
            if cpoll_connect(&address, &descriptor) >= 0 { descriptors.append(descriptor) }
        }
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }
}

/// A loopback port without a listener: bound, so that it stays free, but not listening.
final class ClosedPort {
    let port: Int
    private let descriptor: Int32

    init() throws {
        var address = cpoll_address.loopback
        // An outgoing connection's own port answers other connections with a reset.
        let pair = try Pair()
        try #require(cpoll_local(pair.near, &address) == 0)
        close(pair.far)
        descriptor = pair.near
        port = Int(address.port)
    }

    deinit { close(descriptor) }
}
