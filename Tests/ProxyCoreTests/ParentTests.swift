import ATSPolicy
import Bytes
import ProxyCore
import Records
import Testing

@Suite("loads through a parent proxy")
struct ParentTests {
    private static let route = OriginRoute.parent("proxy.test:3128", authorization: "Basic eDp5")
    private static let get = "GET http://a.test:8080/x?q HTTP/1.1\r\nHost: a.test:8080\r\n\r\n"
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test("a parent receives the absolute URL, with the gate's credentials instead of the client's")
    func absoluteForm() throws {
        let book = try Playbook()
        book.client(Self.get.replacing("\r\n\r\n", with: "\r\nProxy-Authorization: Basic Y2xpZW50\r\n\r\n"))
        let link = try book.connected(through: Self.route)
        #expect(
            book.originReads(on: link)
                == "GET http://a.test:8080/x?q HTTP/1.1\r\nHost: a.test:8080\r\nProxy-Authorization: Basic eDp5\r\n"
                + "Via: 1.1 atsgate\r\n\r\n")
        book.origin(Self.ok)
        book.expect("connect http://a.test:8080 reuse", "record allowed 200 sent=0 received=2")
        #expect(book.records.first?.via == "proxy.test:3128")
        book.end(records: 1)
    }

    @Test("a path-only request from a tunnel in the clear is sent to the parent with the absolute URL")
    func pathForm() throws {
        let book = try Playbook()
        let first = try book.openTunnel("a.test")
        first.route = .tunnel(through: "proxy.test:3128")
        book.client("GET /1 HTTP/1.1\r\nHost: A.test\r\n\r\n")
        #expect(book.originReads(on: first).hasPrefix("GET /1 HTTP/1.1\r\nHost: A.test\r\n"))
        book.origin(Self.ok)
        book.originEnded()
        book.client("GET /2?q HTTP/1.1\r\nHost: A.test\r\n\r\n")
        let second = try book.connected(through: Self.route)
        #expect(book.originReads(on: second).hasPrefix("GET http://a.test:443/2?q HTTP/1.1\r\nHost: a.test:443\r\n"))
        book.origin(Self.ok)
        #expect(book.records.map(\.via) == ["proxy.test:3128", "proxy.test:3128"])
        book.end(records: 2)
    }

    @Test("a parent's 407 fails the load with its own finding and is not passed on")
    func refusedByParent() throws {
        let book = try Playbook()
        book.client(Self.get)
        try book.connected(through: Self.route)
        book.origin("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n")
        let page = book.clientReads()
        #expect(page.hasPrefix("HTTP/1.1 502 "))
        #expect(page.contains("the parent proxy proxy.test:3128 answered 407"))
        #expect(!page.contains("eDp5"))
        book.expect(
            "connect http://a.test:8080 reuse", "record failed 502 sent=0 received=0 net.parent", "close #1")
        book.end(records: 1)
    }

    @Test("407 from a directly dialed origin is passed on unchanged")
    func originsOwn407() throws {
        let book = try Playbook()
        book.client(Self.get)
        try book.connected()
        book.origin("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n")
        #expect(book.clientReads().hasPrefix("HTTP/1.1 407 "))
        #expect(book.records.map(\.via) == [nil])
        book.end(records: 1)
    }

    @Test("a tunnel that the parent refuses is reported to the client and recorded", arguments: [403, 407, 502])
    func refusedTunnel(status: Int) throws {
        let book = try Playbook()
        book.client("CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n")
        try book.dialFailed(.parent("proxy.test:3128", .answered(status: status)))
        let page = book.clientReads()
        #expect(page.hasPrefix("HTTP/1.1 502 ") && page.contains("proxy.test:3128 answered \(status)"))
        book.expect(
            "connect https://a.test reuse", "record failed 502 sent=0 received=0 net.parent", "finishClient")
        #expect(book.records.first?.diagnosis?.apple == nil)
        book.end(records: 1)
    }

    @Test("HTTP/3 is removed from an origin's Alt-Svc, and the record shows it", arguments: [false, true])
    func alternatives(isKept: Bool) throws {
        let book = try Playbook(.openWorld) { $0.keepsAltSvc = isKept }
        book.client(Self.get)
        try book.connected()
        let value = #"h3=":443"; ma=9, h2=":8443""#
        book.origin(
            "HTTP/1.1 103 Hints\r\nAlt-Svc: h3=\":443\"\r\n\r\nHTTP/1.1 200 OK\r\nAlt-Svc: \(value)\r\n"
                + "Content-Length: 0\r\n\r\n")
        let answer = book.clientReads()
        #expect(answer.contains("Alt-Svc: " + (isKept ? value : #"h2=":8443""#) + "\r\n"))
        #expect(answer.contains("h3") == isKept)
        #expect(book.records.map(\.removed) == [isKept ? [] : ["alt-svc h3"]])
        book.end(records: 1)
    }

    @Test("HTTP/3 is removed from Alt-Svc in trailers", arguments: [false, true])
    func alternativesInTrailers(isKept: Bool) throws {
        let book = try Playbook(.openWorld) { $0.keepsAltSvc = isKept }
        book.client(Self.get)
        try book.connected()
        let offers = "Alt-Svc: h3=\":443\"; ma=9\r\n"
        book.origin(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 6\r\n\(offers)\r\n")
        #expect(book.clientReads().hasSuffix("ok\r\n0\r\nX-Sum: 6\r\n\(isKept ? offers : "")\r\n"))
        #expect(book.records.map(\.removed) == [isKept ? [] : ["alt-svc h3"]])
        book.end(records: 1)
    }
}

extension Playbook {
    /// Like ``connected(_:sourceLocation:)``, over the given route.
    @discardableResult
    fileprivate func connected(through route: OriginRoute) throws -> OriginLink {
        let permit = try #require(orders.first?.permit)
        let link = OriginLink(
            key: OriginLink.Key(permit), address: "192.0.2.9:3128", outbox: ByteQueue(), connectTicks: 1)
        link.route = route
        return try connected(link, isNew: true)
    }
}
