import ATSPolicy
import ProxyCore
import Records
import Testing

@Suite("malformed messages and unreachable origins")
struct BadInputTests {
    @Test(
        "ambiguous request framing never reaches an origin",
        arguments: [
            "Content-Length: 3\r\nTransfer-Encoding: chunked", "Content-Length: 3\r\nContent-Length: 4",
            "Content-Length: 3, 3", "Transfer-Encoding: chunked, identity", "X: a\r\n b", "X : a", "X: a\rb", "X: a\0b",
            "X: a\nY: b", "Content-Length: +3", "Content-Length: 99999999999999999999", ": a", "Host: b.test",
        ])
    func smuggling(fields: String) throws {
        let book = try Playbook()
        book.client("POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\(fields)\r\n\r\nabc")
        book.expect("record failed 400 sent=0 received=0 http.malformed", "finishClient")
        #expect(book.clientReads().hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        book.client("GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n")
        book.expect()
        book.clientEnded()
        book.expect("closeClient")
        book.end(records: 1)
        #expect(book.records.first?.load.method == "POST" && book.records.first?.load.url == "http://a.test/")
    }

    @Test("a head over the limit gets 431")
    func headTooLarge() throws {
        let book = try Playbook()
        book.client("GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nX: " + String(repeating: "x", count: 70_000))
        book.expect("record failed 431 sent=0 received=0 http.malformed", "finishClient")
        #expect(book.clientReads().hasPrefix("HTTP/1.1 431 "))
        book.end(records: 1)
    }

    @Test(
        "a malformed request inside TLS is recorded as a failed load with the readable part of its first line",
        arguments: [
            ("POST /x?q HTTP/1.1\r\nHost: good.test\r\nContent-Length: x", "POST https://good.test/x?"),
            ("PUT /x HTTP/9.9\r\nHost: good.test", "PUT https://good.test/x"),
            ("\"GET /x HTTP/1.1\r\nHost: good.test", "GET https://good.test/x"),
            ("GET\t/x HTTP/1.1\r\nHost: good.test", "GET https://good.test/x"),
            ("GET /x HTTP/1.1", "GET https://good.test/x"),
            ("?", "GET https://good.test/"), ("\0\u{1}\u{2}", "GET https://good.test/"),
            ("a b c d", "a https://good.test/"),
        ])
    func malformedInTunnel(request: String, load: String) throws {
        let book = try Playbook(.strict)
        try book.tunnel(to: "good.test")
        book.appSends(request + "\r\n\r\n")
        #expect(book.app?.reads().hasPrefix("HTTP/1.1 ") == true)
        book.clientEnded()
        book.end(records: 1)
        let record = try #require(book.records.first)
        #expect(record.words.hasPrefix("failed ") && record.words.hasSuffix(" http.malformed"))
        #expect("\(record.load.method) \(record.load.url)".hasPrefix(load))
        #expect(record.load.wireProtocol == .http1 && record.origin?.facts != nil)
    }

    @Test("a denied request stays denied if it is malformed; a request without a host gets no record")
    func malformedAndDenied() throws {
        for (mode, verdict) in [(EnforcementMode.enforce, Verdict.blocked), (.audit, .wouldBlock)] {
            let book = try Playbook(.strict) { $0.mode = mode }
            book.client("GET http://a.test/x HTTP/1.1\r\nHost: a.test\r\nX : y\r\n\r\n")
            book.end(records: 1)
            #expect(book.records.map(\.verdict) == [verdict])
            #expect(book.records.first?.diagnosis?.findings.map(\.rule) == [.cleartextLoad, .httpMalformed])
        }
        for nobody in ["GET / HTTP/1.1\r\nX : y", "?", "\u{16}\u{3}\u{1}"] {
            let book = try Playbook()
            book.client(nobody + "\r\n\r\n")
            #expect(book.clientReads().hasPrefix("HTTP/1.1 400 "))
            book.end(records: 0)
        }
        let book = try Playbook(.strict)
        book.client("CONNECT good.test:443 HTTP/1.1\r\nX : y\r\n\r\n")
        book.expect("record failed 400 sent=0 received=0 http.malformed", "finishClient")
        book.end(records: 1)
        #expect(book.records.first?.load.target.origin == "https://good.test")
    }

    @Test("requests before a malformed one are answered; it gets 400 and later ones are dropped")
    func malformedInTheMiddle() throws {
        let book = try Playbook()
        let get = KeepAliveTests.get
        book.client(get + "GET http://a.test/\0 HTTP/1.1\r\n\r\n" + get)
        try book.connected()
        book.origin(KeepAliveTests.ok)
        book.expect(
            "connect http://a.test reuse", "record allowed 200 sent=0 received=2",
            "record failed 400 sent=0 received=0 http.malformed", "close #1", "finishClient")
        #expect(book.clientReads().contains("HTTP/1.1 400 Bad Request\r\n"))
        book.end(records: 2)
    }

    @Test("a malformed request body ends both connections")
    func malformedBody() throws {
        let book = try Playbook()
        book.client("POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc")
        try book.connected()
        book.client("X")
        book.expect(
            "connect http://a.test reuse", "record failed 400 sent=3 received=0 http.malformed", "close #1",
            "finishClient")
        #expect(!book.originReads().hasSuffix("0\r\n\r\n"))
        book.end(records: 1)
    }

    @Test(
        "a response that is not valid HTTP becomes 502",
        arguments: [
            "SSH-2.0-x\r\n", "HTTP/2.0 200 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n",
        ])
    func malformedAnswer(answer: String) throws {
        let book = try Playbook()
        book.client(KeepAliveTests.get)
        try book.connected()
        book.origin(answer)
        book.expect(
            "connect http://a.test reuse", "record failed 502 sent=0 received=0 http.malformed", "close #1")
        #expect(book.clientReads().hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
        #expect(book.session.isBetweenLoads)
        book.end(records: 1)
    }

    @Test("a response body that turns malformed cuts the client's response")
    func malformedAnswerBody() throws {
        let book = try Playbook()
        book.client(KeepAliveTests.get)
        try book.connected()
        book.origin("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcX")
        book.expect(
            "connect http://a.test reuse", "record failed 200 sent=0 received=3 http.malformed", "close #1",
            "closeClient")
        #expect(book.clientReads().hasSuffix("3\r\nabc\r\n"))
        book.end(records: 1)
    }

    static let failures: [(NetworkFailure, Int, String)] = [
        (.name(code: -2), 502, "net.name"), (.refused, 502, "net.refused"), (.timeout, 504, "net.timeout"),
        (.reset(errno: 113), 502, "net.reset"), (.ownAddress, 508, "gate.loop"), (.forbidden, 403, "gate.forbidden"),
    ]

    @Test("an unreachable origin gets an error page, and the connection stays open", arguments: failures)
    func dialFails(failure: NetworkFailure, status: Int, rule: String) throws {
        let book = try Playbook()
        book.client(KeepAliveTests.get)
        try book.dialFailed(failure)
        book.expect("connect http://a.test reuse", "record failed \(status) sent=0 received=0 \(rule)")
        let page = book.clientReads()
        #expect(page.hasPrefix("HTTP/1.1 \(status) "))
        #expect(page.contains(rule.hasPrefix("gate") ? "</h1>" : "The server cannot be reached"))
        #expect((book.records.first?.diagnosis?.apple == nil) == rule.hasPrefix("gate"))
        #expect(book.session.isBetweenLoads)
        book.end(records: 1)
    }

    @Test("a CONNECT to an unreachable origin gets an error and ends the connection", arguments: failures)
    func tunnelDialFails(failure: NetworkFailure, status: Int, rule: String) throws {
        let book = try Playbook()
        book.client("CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n")
        try book.dialFailed(failure)
        book.expect(
            "connect https://a.test reuse", "record failed \(status) sent=0 received=0 \(rule)", "finishClient")
        let page = book.clientReads()
        #expect(page.hasPrefix("HTTP/1.1 \(status) "))
        #expect(page.contains("Connection: close\r\n"))
        book.end(records: 1)
    }

    @Test("an upload to an unreachable origin is not parsed as further requests")
    func uploadDialFails() throws {
        let book = try Playbook()
        book.client("POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 80\r\n\r\n" + KeepAliveTests.get)
        try book.dialFailed(.refused)
        book.expect(
            "connect http://a.test reuse", "record failed 502 sent=0 received=0 net.refused", "finishClient")
        book.end(records: 1)
    }
}
