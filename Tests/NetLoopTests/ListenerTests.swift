import CPoll
import Foundation
import NetLoop
import Synchronization
import TestSupport
import Testing

@Suite struct ListenerTests {
    @Test func addressInUseIsReported() throws {
        let first = try Listener.open(host: "localhost", port: 0)
        #expect(first.address == "127.0.0.1:\(first.port)")
        #expect(throws: NetError.addressInUse(first.address)) {
            try Listener.open(host: "127.0.0.1", port: first.port)
        }
        first.stop()
    }

    /// On macOS SO_REUSEADDR alone would let the second one take clients away.
    @Test(arguments: [("0.0.0.0", "127.0.0.1"), ("127.0.0.1", "0.0.0.0")])
    func wildcardAndAddressConflict(hosts: (String, String)) throws {
        let first = try Listener.open(host: hosts.0, port: 0)
        #expect(throws: NetError.addressInUse("\(hosts.1):\(first.port)")) {
            try Listener.open(host: hosts.1, port: first.port)
        }
        first.stop()
    }

    /// The side that closes first remembers the connection for a while (RFC 9293 section 3.6.1); here that is the
    /// listener's side.
    @Test func endedConnectionsDoNotBlockTheAddress() throws {
        var address = cpoll_address.loopback
        let listener = cpoll_listen(&address, 4)
        try #require(listener >= 0)
        try #require(cpoll_local(listener, &address) == 0)
        var client: Int32 = -1
        try #require(cpoll_connect(&address, &client) >= 0)
        for descriptor in [try accepted(from: listener), client, listener] { close(descriptor) }
        let next = try Listener.open(host: "127.0.0.1", port: Int(address.port))
        #expect(next.port == Int(address.port))
        next.stop()
    }

    @Test(arguments: [("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "127.0.0.1"), ("::1", "::1"), ("::", "::1")])
    func listenersAreDetected(listens: String, asked: String) throws {
        let listener = try Listener.open(host: listens, port: 0)
        #expect(Listener.isListening(host: asked, port: listener.port))
        listener.stop()
    }

    /// A connection would leave a record at a gate; and an ended listener is not detected.
    @Test func detectingAListenerMakesNoConnection() throws {
        var address = cpoll_address.loopback
        let listener = cpoll_listen(&address, 4)
        try #require(listener >= 0)
        try #require(cpoll_local(listener, &address) == 0)
        #expect(Listener.isListening(host: "127.0.0.1", port: Int(address.port)))
        var peer = cpoll_address()
        #expect(cpoll_accept(listener, &peer) == -EAGAIN)
        var client: Int32 = -1
        try #require(cpoll_connect(&address, &client) >= 0)
        // The side that closes first keeps the port for a while, so that no other process listens there in the
        // meantime.
        for descriptor in [try accepted(from: listener), client, listener] { close(descriptor) }
        #expect(!Listener.isListening(host: "127.0.0.1", port: Int(address.port)))
    }

    @Test func foreignAddressCannotBeListenedOn() {
        // 192.0.2.0/24 is unassigned: RFC 5737.
        #expect(throws: NetError.cannotListen("192.0.2.1:0", errno: EADDRNOTAVAIL)) {
            try Listener.open(host: "192.0.2.1", port: 0)
        }
    }

    @Test(arguments: [("example.test", 80), ("127.0.0.1", 65_536), ("", 0)])
    func badAddressIsReported(host: String, port: Int) {
        #expect(throws: NetError.badAddress("\(host):\(port)")) { try Listener.open(host: host, port: port) }
    }

    @Test func version6AddressesArePrintedInBrackets() throws {
        let listener = try Listener.open(host: "[::1]", port: 0)
        #expect(listener.address == "[::1]:\(listener.port)")
        listener.stop()
    }

    @Test func peersAreNamed() async throws {
        let listener = try Listener.open(host: "127.0.0.1", port: 0)
        let loop = try EventLoop(index: 0)
        let peer = Fact<[String]>()
        listener.start(loops: [loop]) { descriptor, name, _ in
            peer.set([name, ByteStream(descriptor: descriptor, handler: nil).peerAddress])
        }
        var address = cpoll_address.loopback
        address.port = UInt16(listener.port)
        var descriptor: Int32 = -1
        #expect(cpoll_connect(&address, &descriptor) >= 0)
        #expect(cpoll_local(descriptor, &address) == 0)
        let names = try await peer.value()
        #expect(names == Array(repeating: "127.0.0.1:\(address.port)", count: 2))
        close(descriptor)
        listener.stop()
        loop.stop()
    }

    /// Their data may have arrived already, and would be lost with the backlog.
    @Test func clientsInTheBacklogAreAcceptedAtTheEnd() async throws {
        let listener = try Listener.open(host: "127.0.0.1", port: 0)
        let loop = try EventLoop(index: 0)
        var address = cpoll_address.loopback
        address.port = UInt16(listener.port)
        var clients: [Int32] = []
        for _ in 0..<50 {
            var client: Int32 = -1
            try #require(cpoll_connect(&address, &client) >= 0)
            clients.append(client)
        }
        let accepted = Atomic(0)
        let ended = Fact<Int>()
        listener.start(loops: [loop]) { descriptor, _, _ in
            close(descriptor)
            accepted.add(1, ordering: .relaxed)
        }
        listener.stop()
        loop.submit { _ in ended.set(accepted.load(ordering: .relaxed)) }
        #expect(try await ended.value() == clients.count)
        for client in clients { close(client) }
        loop.stop()
    }

    /// In a separate process, because it uses up all descriptors.
    @Test func shortageOfDescriptorsIsSurvived() async {
        await #expect(processExitsWith: .success) {
            let listener = try Listener.open(host: "127.0.0.1", port: 0)
            let loop = try EventLoop(index: 0)
            var address = cpoll_address.loopback
            address.port = UInt16(listener.port)
            var client: Int32 = -1
            #expect(cpoll_connect(&address, &client) >= 0)
            var spares: [Int32] = []
            while case let spare = dup(client), spare >= 0 { spares.append(spare) }
            let (shortage, accepted) = (Fact<Int32>(), Fact<Bool>())
            listener.start(loops: [loop], exhausted: { shortage.set($0) }) { descriptor, _, _ in
                close(descriptor)
                accepted.set()
            }
            let code = try await shortage.value()
            let isEarly = accepted.current != nil
            for spare in spares { close(spare) }
            let isAccepted = try await accepted.value()
            _exit(code == EMFILE && !isEarly && isAccepted ? 0 : 1)
        }
    }
}
