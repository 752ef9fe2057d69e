import ATSPolicy
import ProxyCore
import Records
import TLSEngine
import Testing

/// The gate's own pages: they are served without ruling, dialing or recording.
@Suite("the gate's own pages")
struct OwnSiteTests {
    /// The strictest dictionary, and a site that echoes its request.
    private func book(
        from address: String = "192.0.2.7:5000", redirectedFrom original: OriginalDestination? = nil
    ) throws -> Playbook {
        let law = try World.law(.strict)
        let loop = try World.loop(law)
        loop.ownSite = OwnSite { request in
            guard request.path != "/nothing" else { return nil }
            let words =
                "\(request.arrival) \(request.path)?\(request.query) \(request.authority) \(request.client)"
                + (request.isRedirected ? " redirected" : "")
            return OwnAnswer("text/plain", Array(words.utf8), fields: [("X-Own", "yes")])
        }
        return try Playbook(
            law, loop: loop,
            from: ClientSource(
                address: address, entrance: original == nil ? .proxy : .wireguard, original: original))
    }

    @Test(
        "a direct request under any of the gate's own names is answered",
        arguments: ["192.168.1.20:9802", "[::1]:9802", "localhost:9802", "mac.local:9802", "127.0.0.1"])
    func direct(host: String) throws {
        let book = try book()
        book.client("GET /a?b=c HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        let answer = book.clientReads()
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"))
        #expect(answer.contains("\r\nX-Own: yes\r\n"))
        #expect(answer.hasSuffix("\r\n\r\ndirect /a?b=c \(host) 192.0.2.7"))
        book.expect()
        book.end(records: 0)
    }

    @Test("a redirected client reaches the pages by the gate's DNS name, with TLS and without")
    func redirected() throws {
        let original = OriginalDestination(address: OwnSite.address, port: 80)
        let book = try book(redirectedFrom: original)
        book.client("GET /x HTTP/1.1\r\nHost: atsgate.test\r\n\r\n")
        #expect(book.clientReads().hasSuffix("\r\n\r\nproxied /x? atsgate.test 192.0.2.7 redirected"))
        let secure = try self.book(redirectedFrom: original)
        try secure.appStarts("atsgate.test")
        secure.appSends("GET /x HTTP/1.1\r\nHost: atsgate.test\r\n\r\n")
        #expect(secure.app?.reads().hasSuffix("\r\n\r\nsecure /x? atsgate.test 192.0.2.7 redirected") == true)
        for book in [book, secure] {
            #expect(book.orders.isEmpty)
            book.end(records: 0)
        }
    }

    @Test("a foreign name gets no own page, and a missing page falls back to the proxy's notice")
    func foreignName() throws {
        for request in [
            "GET / HTTP/1.1\r\nHost: rebound.example\r\n\r\n", "GET /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        ] {
            let book = try book()
            book.client(request)
            #expect(book.clientReads().contains("This is a proxy"))
            book.end(records: 0)
        }
    }

    @Test("the gate's name works through the proxy under any dictionary, and the connection is kept")
    func proxied() throws {
        let book = try book()
        for _ in 0..<2 {
            book.client("GET http://AtsGate.Test/x HTTP/1.1\r\nHost: AtsGate.Test\r\n\r\n")
            #expect(book.clientReads().hasSuffix("\r\n\r\nproxied /x? atsgate.test 192.0.2.7"))
        }
        book.client("HEAD http://atsgate.test/nothing HTTP/1.1\r\nHost: atsgate.test\r\n\r\n")
        let missing = book.clientReads()
        #expect(missing.hasPrefix("HTTP/1.1 404 "))
        #expect(missing.hasSuffix("\r\n\r\n"))
        book.client("POST http://atsgate.test/x HTTP/1.1\r\nHost: atsgate.test\r\nContent-Length: 2\r\n\r\nhi")
        #expect(book.clientReads().hasPrefix("HTTP/1.1 405 "))
        book.end(records: 0)
    }

    @Test("the gate's own address through the proxy serves its pages, and 508 for missing ones")
    func ownAddress() throws {
        let book = try book()
        book.client("GET http://127.0.0.1:9802/ HTTP/1.1\r\nHost: 127.0.0.1:9802\r\n\r\n")
        #expect(book.clientReads().hasSuffix("proxied /? 127.0.0.1:9802 192.0.2.7"))
        book.client("GET http://127.0.0.1:9802/nothing HTTP/1.1\r\nHost: 127.0.0.1:9802\r\n\r\n")
        #expect(book.clientReads().hasPrefix("HTTP/1.1 508 "))
        book.end(records: 1)
    }

    @Test("a client that trusts the CA gets the pages over TLS, with a leaf for the name")
    func secure() throws {
        let book = try book()
        book.client("CONNECT atsgate.test:443 HTTP/1.1\r\nHost: atsgate.test:443\r\n\r\n")
        try book.appStarts("atsgate.test", alpn: ["h2", "http/1.1"])
        #expect(book.app?.machine.state == .established)
        #expect(book.app?.machine.negotiatedALPN == "http/1.1")
        #expect(book.app?.leaf?.dnsNames == ["atsgate.test"])
        #expect(book.app?.leaf?.issuer == "CN=Gate")
        for _ in 0..<2 {
            book.appSends("GET /y HTTP/1.1\r\nHost: atsgate.test\r\n\r\n")
            #expect(book.app?.reads().hasSuffix("\r\n\r\nsecure /y? atsgate.test 192.0.2.7") == true)
        }
        book.expect()
        book.end(records: 0)
    }

    @Test("a client that rejects the leaf leaves no record, and a tunnel may carry cleartext")
    func otherTunnels() throws {
        let refusing = try book()
        refusing.client("CONNECT atsgate.test:443 HTTP/1.1\r\nHost: atsgate.test:443\r\n\r\n")
        refusing.client([0x15, 3, 1, 0, 2, 2, 48])
        refusing.end(records: 0)
        let clear = try book()
        clear.client("CONNECT atsgate.test:80 HTTP/1.1\r\nHost: atsgate.test:80\r\n\r\n")
        _ = clear.clientReads()
        clear.client("GET /z HTTP/1.1\r\nHost: atsgate.test\r\n\r\n")
        #expect(clear.clientReads().hasSuffix("proxied /z? atsgate.test 192.0.2.7"))
        clear.client("GET /z HTTP/1.1\r\nHost: else.test\r\n\r\n")
        #expect(clear.clientReads().hasPrefix("HTTP/1.1 404 "))
        clear.end(records: 0)
    }

    @Test("without own pages the name is an ordinary host")
    func withoutSite() throws {
        let book = try Playbook(.strict)
        book.client("GET http://atsgate.test/ HTTP/1.1\r\nHost: atsgate.test\r\n\r\n")
        #expect(book.clientReads().hasPrefix("HTTP/1.1 403 "))
        book.end(records: 1)
    }
}
