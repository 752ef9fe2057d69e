import ProxyCore
import Records
import TLSEngine
import Testing

@Suite("clients without a load give their links back")
struct RestingLinkTests {
    private static let get = TunnelTests.get
    private static let ok = TunnelTests.ok
    private static let allowed = TunnelTests.allowed
    private static let connect = TunnelTests.connect

    /// A tunnel that has carried a load and given its link back.
    private func rested() throws -> Playbook {
        let book = try Playbook(.strict)
        try book.tunnel(to: "good.test")
        book.appSends(Self.get)
        book.peerSends(Self.ok)
        book.pass(.rest)
        book.expect(Self.connect, Self.allowed, "keep #1")
        #expect(book.armed == .idle)
        return book
    }

    @Test("the next load of an idle tunnel uses the same link if the pool still has it")
    func sameLink() throws {
        let book = try rested()
        book.appSends(Self.get)
        book.expect(Self.connect)
        try book.connected(book.links[0])
        book.carry()
        #expect(
            book.peerReads(on: book.links[0]).hasSuffix(
                "GET /x HTTP/1.1\r\nHost: good.test\r\nVia: 1.1 atsgate\r\n\r\n"))
        book.peerSends(Self.ok, on: book.links[0])
        book.expect(Self.allowed)
        #expect(book.armed == .rest)
        #expect(book.records.last?.timing.handshake == nil)
        book.end(records: 2)
    }

    @Test("a new link is judged again before the load")
    func newLink() throws {
        let book = try rested()
        book.originEnded(on: book.links[0])
        book.appSends(Self.get)
        book.expect(Self.connect)
        book.serve(try book.connected(), as: try OriginPeer(.sound("good.test")))
        book.peerSends(Self.ok)
        book.expect(Self.allowed)
        #expect(book.records.last?.timing.handshake != nil)
        book.appSends(Self.get)
        book.peerSends(Self.ok)
        book.pass(.rest)
        book.appSends(Self.get)
        book.expect(Self.allowed, "keep #2", Self.connect)
        book.serve(try book.connected(), as: try OriginPeer(.untrusted("good.test")))
        #expect(book.records.last?.verdict == .blocked)
        #expect(book.app?.reads().contains("HTTP/1.1 403 ") == true)
        book.end(records: 4)
    }

    @Test("a link that its origin closed unnoticed in the pool is replaced")
    func closedInThePool() throws {
        let book = try rested()
        book.appSends(Self.get)
        try book.connected(book.links[0])
        book.originEnded(on: book.links[0])
        book.expect(Self.connect, "close #1", "connect https://good.test new")
        book.serve(try book.connected(), as: try OriginPeer(.sound("good.test")))
        book.peerSends(Self.ok)
        book.expect(Self.allowed)
        book.end(records: 2)
    }

    @Test("an idle tunnel closes after the whole idle time, also without its link")
    func idleTime() throws {
        let book = try rested()
        book.pass(.idle)
        book.expect("closeClient")
        book.end(records: 1)
    }

    @Test("a link with a login stays, because its origin knows the client by the connection")
    func login() throws {
        let book = try Playbook(.strict)
        try book.tunnel(to: "good.test")
        book.appSends("GET /x HTTP/1.1\r\nHost: good.test\r\nAuthorization: NTLM abc\r\n\r\n")
        book.peerSends(Self.ok)
        #expect(book.armed == .idle)
        book.expect(Self.connect, Self.allowed)
        book.appSends(Self.get)
        book.peerSends(Self.ok)
        book.expect(Self.allowed)
        book.end(records: 2)
    }

    @Test("if the idle time is shorter, it alone counts")
    func shortIdleTime() throws {
        let book = try Playbook(.strict) { $0.rules.limits.idle = .seconds(1) }
        try book.tunnel(to: "good.test")
        book.appSends(Self.get)
        book.peerSends(Self.ok)
        #expect(book.armed == .idle)
        book.pass(.idle)
        book.expect(Self.connect, Self.allowed, "keep #1", "closeClient")
        book.end(records: 1)
    }

    @Test("an HTTP/2 client gives its link back, and its next stream takes one")
    func streams() throws {
        let streams = try StreamBook()
        let first = try streams.ask(.plain("/1"))
        streams.origin?.requests[0].stream?.answer(204)
        streams.carry()
        #expect(first.status == 204)
        #expect(streams.book.armed == .rest)
        streams.book.pass(.rest)
        #expect(streams.book.armed == .idle)
        let allowed = "record allowed 204 sent=0 received=0"
        streams.book.expect("connect https://good.test reuse", allowed, "keep #1")
        let second = try streams.ask(.plain("/2"))
        streams.book.expect("connect https://good.test reuse")
        try streams.book.connected(streams.book.links[0])
        streams.carry()
        try #require(streams.origin?.requests.last?.stream).answer(204)
        streams.carry()
        #expect(second.status == 204)
        streams.book.pass(.rest)
        streams.book.expect(allowed, "keep #1")
        let third = try streams.ask(.plain("/3"))
        try streams.connected()
        try #require(streams.origin?.requests.last?.stream).answer(204)
        streams.carry()
        #expect(third.status == 204)
        streams.book.expect("connect https://good.test reuse", allowed)
        streams.book.end(records: 3)
    }
}
