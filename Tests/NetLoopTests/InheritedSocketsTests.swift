import CPoll
import Foundation
import NetLoop
import TestSupport
import Testing

@Suite("inherited listening sockets") struct InheritedSocketsTests {
    private let process: Int32 = 4_711

    private func handed(_ descriptor: Int32, count: String = "1", pid: String = "4711") throws -> InheritedSockets {
        try InheritedSockets(
            in: ["LISTEN_PID": pid, "LISTEN_FDS": count], process: process, first: descriptor)
    }

    /// A socket that listens on loopback, and its port.
    private func listening() throws -> (descriptor: Int32, port: Int) {
        var address = cpoll_address.loopback
        let descriptor = cpoll_listen(&address, 4)
        try #require(descriptor >= 0)
        try #require(cpoll_local(descriptor, &address) == 0)
        return (descriptor, Int(address.port))
    }

    @Test("an inherited socket is used instead of opening one at its address, under any name of the address")
    func oneIsTaken() async throws {
        let (descriptor, port) = try listening()
        let sockets = try handed(descriptor)
        #expect(sockets.addresses == ["127.0.0.1:\(port)"])
        #expect(InheritedSockets.address(host: "localhost", port: port) == sockets.addresses.first)
        let listener = try Listener.open(host: "localhost", port: port, handed: sockets)
        #expect(sockets.addresses == [])
        #expect(listener.address == "127.0.0.1:\(port)")
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0 && fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
        let loop = try EventLoop(index: 0)
        let came = Fact<Bool>()
        listener.start(loops: [loop]) { descriptor, _, _ in
            close(descriptor)
            came.set()
        }
        let client = try connect(to: port)
        _ = try await came.value()
        for end in [listener.stop, loop.stop] { end() }
        close(client)
    }

    @Test("a socket at another address is left unused")
    func othersAreLeft() throws {
        let (descriptor, port) = try listening()
        let sockets = try handed(descriptor)
        let listener = try Listener.open(host: "127.0.0.1", port: 0, handed: sockets)
        #expect(listener.port != port && sockets.addresses == ["127.0.0.1:\(port)"])
        listener.stop()
    }

    @Test(
        "no sockets are inherited for another process, or without the variables",
        arguments: [["LISTEN_PID": "4712", "LISTEN_FDS": "1"], ["LISTEN_FDS": "1"], ["LISTEN_PID": "4711"], [:]])
    func othersProcess(environment: [String: String]) throws {
        #expect(try InheritedSockets(in: environment, process: process).addresses == [])
    }

    @Test("an invalid count is an error", arguments: ["-1", "many", "1001", ""])
    func badCount(count: String) {
        #expect(throws: InheritedSocketError.noNumber(count)) { try handed(3, count: count) }
    }

    /// A descriptor that is not a usable listening socket, and the expected errno.
    enum Wrong: CaseIterable {
        case pipe, datagrams, connection, everyVersion

        var errno: Int32 {
            switch self {
            case .pipe: ENOTSOCK
            case .datagrams, .connection: EINVAL
            case .everyVersion: EADDRNOTAVAIL
            }
        }

        func make() throws -> Int32 {
            switch self {
            case .pipe:
                var ends: [Int32] = [-1, -1]
                try #require(Foundation.pipe(&ends) == 0)
                close(ends[1])
                return ends[0]
            case .datagrams: return Self.socket(AF_INET, type: Self.datagram)
            case .connection: return Self.socket(AF_INET, type: Self.stream)
            case .everyVersion:
                let descriptor = Self.socket(AF_INET6, type: Self.stream)
                var off: Int32 = 0
                try #require(
                    setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, socklen_t(MemoryLayout<Int32>.size))
                        == 0)
                // Listens on all addresses, at a port that the system chooses.
                try #require(listen(descriptor, 4) == 0)
                return descriptor
            }
        }

        private static func socket(_ family: Int32, type: Int32) -> Int32 { Foundation.socket(family, type, 0) }

        #if canImport(Darwin)
        private static let (stream, datagram) = (SOCK_STREAM, SOCK_DGRAM)
        #else
        private static let (stream, datagram) = (Int32(SOCK_STREAM.rawValue), Int32(SOCK_DGRAM.rawValue))
        #endif
    }

    @Test("an unusable socket is reported with its number", arguments: Wrong.allCases)
    func wrongOnes(wrong: Wrong) throws {
        let descriptor = try wrong.make()
        #expect(throws: InheritedSocketError.notUsable(descriptor: descriptor, errno: wrong.errno)) {
            try handed(descriptor)
        }
    }

    /// Moves descriptors to consecutive numbers that are too high for other users in this process.
    private func inRow(_ descriptors: [Int32], from first: Int32) throws -> Int32 {
        for (descriptor, wanted) in zip(descriptors, first...) {
            let moved = fcntl(descriptor, F_DUPFD, wanted)
            close(descriptor)
            try #require(moved == wanted)
        }
        return first
    }

    @Test("after an unusable socket the others are closed, too")
    func allAreClosed() throws {
        let first = try inRow([Wrong.pipe.make(), listening().descriptor, Wrong.connection.make()], from: 700)
        #expect(throws: InheritedSocketError.notUsable(descriptor: first, errno: ENOTSOCK)) {
            try handed(first, count: "3")
        }
        #expect((0..<3).map { fcntl(first + $0, F_GETFD) } == [-1, -1, -1])
    }

    @Test("two sockets at one address are an error, because no listener would use the second")
    func twoAtOneAddress() throws {
        let (descriptor, port) = try listening()
        let first = try inRow([dup(descriptor), descriptor], from: 710)
        do throws(InheritedSocketError) {
            _ = try InheritedSockets(
                in: ["LISTEN_PID": "4711", "LISTEN_FDS": "2"], process: process, first: first)
            Issue.record("both sockets were accepted")
        } catch {
            #expect("\(error)".contains("127.0.0.1:\(port)"))
        }
    }

    @Test("a client that connects after the end waits for the next process, and does not wake this one")
    func managersKeepTheirs() async throws {
        let (descriptor, port) = try listening()
        // The manager's copy.
        let kept = dup(descriptor)
        defer { close(kept) }
        let listener = try Listener.open(host: "127.0.0.1", port: port, handed: try handed(descriptor))
        let loop = try EventLoop(index: 0)
        defer { loop.stop() }
        let isUp = Fact<Bool>()
        listener.start(loops: [loop]) { _, _, _ in }
        loop.submit { _ in isUp.set() }
        _ = try await isUp.value()
        #if os(Linux)
        #expect(try Self.isWatched(kept))
        #endif
        listener.stop()
        let isOver = Fact<Bool>()
        loop.submit { _ in isOver.set() }
        _ = try await isOver.value()
        let client = try connect(to: port)
        close(try accepted(from: kept))
        close(client)
        #if os(Linux)
        #expect(try !Self.isWatched(kept))
        #endif
    }

    private func connect(to port: Int) throws -> Int32 {
        var address = cpoll_address.loopback
        address.port = UInt16(port)
        var client: Int32 = -1
        try #require(cpoll_connect(&address, &client) >= 0)
        return client
    }

    #if os(Linux)
    /// True if a poll set of this process contains the socket. Source: proc_pid_fdinfo(5), the lines `tfd:` of epoll.
    private static func isWatched(_ descriptor: Int32) throws -> Bool {
        var facts = stat()
        try #require(fstat(descriptor, &facts) == 0)
        let inode = " ino:" + String(facts.st_ino, radix: 16) + " "
        let folder = "/proc/self/fdinfo"
        return try FileManager.default.contentsOfDirectory(atPath: folder).contains { name in
            (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8))?.contains(inode) == true
        }
    }
    #endif
}
