import ProxyCore
import Testing

@Suite("plain loads")
struct PlainLoadTests {
    @Test("an allowed load is sent in origin form, answered, and recorded once")
    func permittedLoad() throws {
        let book = try Playbook()
        book.client(
            "GET http://a.test/x?y=1 HTTP/1.1\r\nHost: a.test\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\n"
                + "Keep-Alive: timeout=5\r\nProxy-Connection: keep-alive\r\nAccept: */*\r\n\r\n")
        book.expect("connect http://a.test reuse")
        try book.connected()
        book.expect()
        #expect(
            book.originReads()
                == "GET /x?y=1 HTTP/1.1\r\nHost: a.test\r\nAccept: */*\r\nVia: 1.1 atsgate\r\n\r\n")
        #expect(book.armed == .answer)
        book.origin("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nKeep-Alive: max=9\r\n\r\nhello")
        book.expect("record allowed 200 sent=0 received=5")
        #expect(book.clientReads() == "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nVia: 1.1 atsgate\r\n\r\nhello")
        #expect(book.armed == .rest)
        book.clientEnded()
        book.expect("keep #1", "closeClient")
        book.end(records: 1)
    }

    @Test("a denied load never connects; the page gives the reason, and the connection stays open")
    func deniedLoad() throws {
        let book = try Playbook(.strict)
        for _ in 0..<2 {
            book.client("GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n")
            book.expect("record blocked 403 sent=0 received=0 page ats.cleartext-load")
            let page = book.clientReads()
            #expect(page.hasPrefix("HTTP/1.1 403 Forbidden\r\nContent-Type: text/html"))
            #expect(page.contains("X-ATSGate-Rule: ats.cleartext-load\r\n"))
            #expect(page.contains("<h1>Blocked by atsgate: App Transport Security would block this load</h1>"))
            #expect(page.contains("<h2>Cleartext HTTP load</h2>"))
            // The dictionary lacks the key that the page suggests.
            #expect(page.contains("<dt>Would be allowed by</dt>") && !page.contains("Deciding key"))
            #expect(page.contains("X-ATSGate-Error: NSURLErrorDomain -1022\r\n"))
            #expect(!page.contains("Connection: close"))
        }
        book.end(records: 2)
    }

    @Test("API clients get the refusal as JSON, and HEAD gets no body")
    func refusalShapes() throws {
        let book = try Playbook(.strict)
        book.client("GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nAccept: application/json\r\n\r\n")
        let json = book.clientReads()
        #expect(json.contains("Content-Type: application/json\r\n"))
        #expect(json.contains("\"rule\":\"ats.cleartext-load\""))
        book.client("HEAD http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n")
        let head = book.clientReads()
        #expect(head.hasPrefix("HTTP/1.1 403 Forbidden\r\n"))
        #expect(head.hasSuffix("\r\n\r\n"))
        #expect(!head.contains("Content-Length: 0\r\n"))
        book.end(records: 2)
    }

    @Test("a denied request with a body ends the connection, and the body is discarded")
    func deniedUpload() throws {
        let book = try Playbook(.strict)
        book.client("POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 100\r\n\r\nGET http")
        book.expect("record blocked 403 sent=0 received=0 page ats.cleartext-load", "finishClient")
        #expect(book.clientReads().contains("Connection: close\r\n"))
        book.client("://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n")
        book.expect()
        book.clientEnded()
        book.expect("closeClient")
        book.end(records: 1)
    }

    @Test("thousands of denied requests in one piece are all answered")
    func deniedFlood() throws {
        let book = try Playbook(.strict) { $0.limits.highWaterBytes = .max }
        let request = "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n"
        book.client(String(repeating: request, count: 5_000))
        book.end(records: 5_000)
    }

    @Test("in audit mode a denied load is sent and recorded as would-block")
    func audited() throws {
        let book = try Playbook(.strict) { $0.mode = .audit }
        book.client("GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n")
        book.expect("connect http://a.test reuse")
        try book.connected()
        book.origin("HTTP/1.1 204 No Content\r\n\r\n")
        book.expect("record wouldBlock 204 sent=0 received=0 ats.cleartext-load")
        book.end(records: 1)
    }

    @Test(
        "iCloud Private Relay gets the answer that its host does not exist, and no connection is dialed",
        arguments: [
            "mask.icloud.com:443", "mask-h2.icloud.com:443", "MASK.iCloud.com.:443", "mask-api.icloud.com:443",
            "a.mask.icloud.com:443",
        ])
    func privateRelay(authority: String) throws {
        let book = try Playbook(World.law(.openWorld) { $0.passthrough = ["*.icloud.com"] })
        book.client("CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\r\n")
        book.expect("record outside 502 sent=0 received=0 client.private-relay", "finishClient")
        #expect(book.clientReads().hasPrefix("HTTP/1.1 502 "))
        book.end(records: 1)
    }

    @Test("Private Relay works if its own name is configured for passthrough")
    func wantedPrivateRelay() throws {
        let book = try Playbook(World.law(.openWorld) { $0.passthrough = ["mask.icloud.com"] })
        book.client("CONNECT mask.icloud.com:443 HTTP/1.1\r\nHost: mask.icloud.com:443\r\n\r\n")
        book.expect("connect https://mask.icloud.com new")
        book.clientEnded()
        book.end(records: 1)
    }

    @Test(
        "the gate never dials itself",
        arguments: ["GET http://127.0.0.1:9802/ HTTP/1.1", "CONNECT 127.0.0.1:9802 HTTP/1.1"])
    func ownAddress(line: String) throws {
        let book = try Playbook()
        book.client("\(line)\r\nHost: 127.0.0.1:9802\r\n\r\n")
        book.expect("record failed 508 sent=0 received=0 gate.loop", "finishClient")
        #expect(book.clientReads().hasPrefix("HTTP/1.1 508 Loop Detected\r\n"))
        book.end(records: 1)
    }

    @Test("a request in origin form gets a page that explains that this is a proxy")
    func originForm() throws {
        let book = try Playbook()
        book.client("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n")
        book.expect("finishClient")
        let page = book.clientReads()
        #expect(page.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(page.contains("atsgate is an HTTP proxy"))
        book.end(records: 0)
    }

    @Test("an https URL in absolute form is refused")
    func absoluteHTTPS() throws {
        let book = try Playbook()
        book.client("GET https://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n")
        book.expect("finishClient")
        #expect(book.clientReads().hasPrefix("HTTP/1.1 400 "))
        book.end(records: 0)
    }
}
