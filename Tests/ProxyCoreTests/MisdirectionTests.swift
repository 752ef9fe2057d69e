import ATSPolicy
import HTTP2Engine
import HTTPWire
import ProxyCore
import Records
import TLSEngine
import Testing

@Suite("requests for another host than their tunnel's")
struct MisdirectionTests {
    /// http is allowed to two hosts only.
    private static let free: PropertyValue = [
        "NSExceptionDomains": [
            "free.test": ["NSExceptionAllowsInsecureHTTPLoads": true],
            "also.test": ["NSExceptionAllowsInsecureHTTPLoads": true],
        ]
    ]

    private func clearTunnel(mode: EnforcementMode = .enforce) throws -> Playbook {
        let book = try Playbook(Self.free) { $0.mode = mode }
        book.client("CONNECT free.test:80 HTTP/1.1\r\nHost: free.test:80\r\n\r\n")
        try book.connected()
        _ = book.clientReads()
        return book
    }

    @Test(
        "a request for a denied host is denied in an allowed host's tunnel, however the host is written",
        arguments: [
            "GET http://denied.test/x HTTP/1.1\r\nHost: free.test\r\n\r\n",
            "GET /x HTTP/1.1\r\nHost: denied.test\r\n\r\n", "GET /x HTTP/1.0\r\nHost: DENIED.test:80\r\n\r\n",
            "GET http://denied.test:8080/x HTTP/1.1\r\nHost: denied.test:8080\r\n\r\n",
        ], EnforcementMode.allCases)
    func denied(request: String, mode: EnforcementMode) throws {
        let book = try clearTunnel(mode: mode)
        book.client(request)
        #expect(book.originReads().isEmpty == (mode == .enforce))
        if mode != .enforce { book.origin(TunnelTests.ok) }
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [mode == .enforce ? .blocked : .wouldBlock])
        #expect(book.records.first?.load.target.host == "denied.test")
        #expect(book.records.first?.diagnosis?.findings.map(\.rule) == [.cleartextLoad, .clientServerName])
        if mode == .enforce { #expect(book.clientReads().hasPrefix("HTTP/1.1 403 ")) }
    }

    @Test("an HTTP/2 request with prior knowledge for a denied host is denied in an allowed host's tunnel")
    func deniedStream() throws {
        let book = try clearTunnel()
        let app = try StreamPeer(.origin)
        _ = app.machine.open(.plain("/x", host: "denied.test", scheme: "http"), handler: StreamLog())
        book.client(app.exchange([]))
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.blocked])
        #expect(book.records.first?.load.target.host == "denied.test")
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

    @Test("a request for another allowed host is allowed, and the record shows its name")
    func permitted() throws {
        let book = try clearTunnel()
        book.client("GET /x HTTP/1.1\r\nHost: also.test\r\n\r\n")
        book.origin(TunnelTests.ok)
        book.end(records: 1)
        #expect(book.records.map(\.words) == ["allowed 200 sent=0 received=2 client.server-name"])
        #expect(book.records.first?.load.target.host == "free.test")
        #expect(book.records.first?.diagnosis?.findings.first?.observed.contains("also.test") == true)
    }

    // MARK: Inside TLS

    @Test("an https load for a host that the certificate does not cover gets 421, and the next one is allowed")
    func misdirected() throws {
        let book = try Playbook(.strict)
        let link = try book.tunnel(to: "good.test")
        book.appSends("GET /x HTTP/1.1\r\nHost: other.test\r\n\r\n")
        #expect(book.app?.reads().hasPrefix("HTTP/1.1 421 Misdirected Request\r\n") == true)
        #expect(book.peerReads(on: link).isEmpty)
        #expect(book.records.map(\.words) == ["failed 421 sent=0 received=0 client.server-name"])
        #expect(book.records.first?.load.target.host == "other.test")
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
        #expect(streams.book.records.first?.load.target.host == "other.test")
    }

    @Test("a request for a host that the certificate also covers is allowed unless its own rules are stricter")
    func bothHosts() throws {
        let loose: PropertyValue = [
            "NSExceptionDomains": ["loose.test": ["NSExceptionRequiresForwardSecrecy": false]]
        ]
        for (isWeak, mode) in [(false, EnforcementMode.enforce), (true, .enforce), (true, .audit)] {
            let book = try Playbook(loose) { $0.mode = mode }
            let hosts = ["loose.test", "strict.test"]
            try book.tunnel(
                to: "loose.test", serving: isWeak ? .staticRSA("loose.test", "strict.test") : .sound(forAll: hosts))
            book.appSends("GET /x HTTP/1.1\r\nHost: strict.test\r\n\r\n")
            book.peerSends(TunnelTests.ok)
            book.end(records: 1)
            let words = book.records.map(\.words)
            switch (isWeak, mode) {
            case (false, _): #expect(words == ["allowed 200 sent=0 received=2 client.server-name"])
            case (true, .enforce): #expect(words == ["failed 421 sent=0 received=0 client.server-name"])
            case (true, .audit), (true, .witness):
                #expect(words == ["wouldBlock 200 sent=0 received=2 ats.forward-secrecy"])
            }
            #expect(book.records.first?.load.target.host == (isWeak ? "strict.test" : "loose.test"))
        }
    }
}
