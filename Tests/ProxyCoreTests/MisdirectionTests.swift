import ATSPolicy
import HTTP2Engine
import HTTPWire
import ProxyCore
import Records
import TLSEngine
import Testing

@Suite("requests for another host than their tunnel's")
struct MisdirectionTests {
    /// http is allowed to one host only.
    private static let free: PropertyValue = [
        "NSExceptionDomains": ["free.test": ["NSExceptionAllowsInsecureHTTPLoads": true]]
    ]

    private func clearTunnel(mode: EnforcementMode = .enforce) throws -> Playbook {
        let book = try Playbook(Self.free) { $0.mode = mode }
        book.client("CONNECT free.test:80 HTTP/1.1\r\nHost: free.test:80\r\n\r\n")
        try book.connected()
        _ = book.clientReads()
        return book
    }

    @Test(
        "a request for another host gets 421, however the host is written; only enforce mode refuses it",
        arguments: [
            "GET http://denied.test/x HTTP/1.1\r\nHost: free.test\r\n\r\n",
            "GET /x HTTP/1.1\r\nHost: denied.test\r\n\r\n", "GET /x HTTP/1.0\r\nHost: DENIED.test:80\r\n\r\n",
            "GET http://denied.test:8080/x HTTP/1.1\r\nHost: denied.test:8080\r\n\r\n",
            "GET /x HTTP/1.1\r\nHost: 192.0.2.1\r\n\r\n", "GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n",
        ], EnforcementMode.allCases)
    func otherHost(request: String, mode: EnforcementMode) throws {
        let book = try clearTunnel(mode: mode)
        book.client(request)
        #expect(book.originReads().isEmpty == (mode == .enforce))
        if mode != .enforce { book.origin(TunnelTests.ok) }
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [mode == .enforce ? .failed : .wouldBlock])
        #expect(book.records.first?.load.target.host == "free.test")
        #expect(book.records.first?.diagnosis?.findings.map(\.rule) == [.clientServerName])
        if mode == .enforce { #expect(book.clientReads().hasPrefix("HTTP/1.1 421 Misdirected Request\r\n")) }
    }

    @Test("an HTTP/2 request with prior knowledge for another host gets 421")
    func otherStream() throws {
        let book = try clearTunnel()
        let app = try StreamPeer(.origin)
        let log = StreamLog()
        _ = app.machine.open(.plain("/x", host: "denied.test", scheme: "http"), handler: log)
        book.client(app.exchange([]))
        _ = app.exchange(book.clientOutbox.drained)
        #expect(log.status == 421)
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.failed])
    }

    @Test("a denied tunnel stays blocked, even if its request names another host")
    func deniedTunnel() throws {
        let book = try Playbook(Self.free)
        book.client("CONNECT denied.test:80 HTTP/1.1\r\nHost: denied.test:80\r\n\r\n")
        try book.connected()
        _ = book.clientReads()
        book.client("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(book.clientReads().hasPrefix("HTTP/1.1 403 "))
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.blocked])
    }

    @Test("later requests in a tunnel to an address go to that address, even if they name another host")
    func addressIsDialedAgain() throws {
        let book = try Playbook(Self.free)
        book.client("CONNECT 192.0.2.1:80 HTTP/1.1\r\nHost: 192.0.2.1:80\r\n\r\n")
        try book.connected()
        let request = "GET /x HTTP/1.1\r\nHost: free.test\r\n\r\n"
        book.client(request)
        book.origin(TunnelTests.ok)
        book.originEnded()
        book.client(request)
        #expect(book.orders.first?.permit.target.host == "192.0.2.1")
        #expect(book.orders.first?.mayReuse == false)
        try book.connected()
        book.origin(TunnelTests.ok)
        book.end(records: 2)
        #expect(book.records.map(\.verdict) == [.allowed, .allowed])
    }

    @Test("after an allowed request, a malformed one in a tunnel to an address has a record, too")
    func denialEnds() throws {
        let book = try Playbook(Self.free)
        book.client("CONNECT 192.0.2.1:80 HTTP/1.1\r\nHost: 192.0.2.1:80\r\n\r\n")
        try book.connected()
        book.client("GET /x HTTP/1.1\r\nHost: free.test\r\n\r\n")
        book.origin(TunnelTests.ok)
        book.client("GET /x HTTP/1.1\r\nHost: free.test\r\nno field\r\n\r\n")
        book.end(records: 2)
        #expect(book.records.map(\.verdict) == [.allowed, .failed])
    }

    @Test(
        "in a tunnel to an address the request in the clear names its host, and local names and other addresses get 421"
    )
    func tunnelToAddress() throws {
        let hosts = [
            ("free.test", 200), ("denied.test", 403), ("192.0.2.7", 421), ("localhost", 421), ("x.local", 421),
        ]
        for (host, status) in hosts {
            let book = try Playbook(Self.free)
            book.client("CONNECT 192.0.2.1:80 HTTP/1.1\r\nHost: 192.0.2.1:80\r\n\r\n")
            try book.connected()
            _ = book.clientReads()
            book.client("GET /x HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            if status == 200 { book.origin(TunnelTests.ok) }
            #expect(book.clientReads().hasPrefix("HTTP/1.1 \(status) "), "\(host)")
            book.end(records: 1)
            #expect(book.records.first?.load.target.host == host)
        }
    }

    @Test(
        "another spelling of the tunnel's own host is allowed without a finding",
        arguments: ["free.test:80", "FREE.test", "free.test."])
    func ownHost(host: String) throws {
        let book = try clearTunnel()
        for _ in 0..<2 {
            book.client("GET /x HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            book.origin(TunnelTests.ok)
        }
        book.end(records: 2)
        #expect(book.records.map(\.words) == Array(repeating: "allowed 200 sent=0 received=2", count: 2))
    }

    // MARK: Inside TLS

    @Test("an https load for another host gets 421, and the next one is allowed")
    func misdirected() throws {
        let book = try Playbook(.strict)
        let link = try book.tunnel(to: "good.test")
        book.appSends("GET /x HTTP/1.1\r\nHost: other.test\r\n\r\n")
        #expect(book.app?.reads().hasPrefix("HTTP/1.1 421 Misdirected Request\r\n") == true)
        #expect(book.peerReads(on: link).isEmpty)
        #expect(book.records.map(\.words) == ["failed 421 sent=0 received=0 client.server-name"])
        #expect(book.records.first?.load.target.host == "good.test")
        book.appSends(TunnelTests.get)
        book.serve(try book.connected(), as: try OriginPeer(.sound("good.test")))
        book.peerSends(TunnelTests.ok)
        book.end(records: 2)
        #expect(book.records.last?.words == "allowed 200 sent=0 received=2")
    }

    @Test("an HTTP/2 stream for another host gets 421, and other streams continue")
    func misdirectedStream() throws {
        let streams = try StreamBook()
        let other = try streams.ask(.plain("/x", host: "other.test"))
        let own = try streams.ask(.plain("/y"))
        #expect(other.status == 421)
        #expect(streams.origin?.requests.map { $0.request?.head.target } == [.path("/y")])
        streams.origin?.requests[0].stream?.answer(204)
        streams.carry()
        #expect(own.status == 204)
        streams.book.end(records: 2)
        #expect(streams.book.records.map(\.verdict) == [.failed, .allowed])
    }
}
