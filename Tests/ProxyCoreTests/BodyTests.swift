import ProxyCore
import Testing

@Suite("message bodies, interim responses and message ends")
struct BodyTests {
    private static let get = KeepAliveTests.get

    /// A playbook that has sent `request` over its first link; drops the bytes that the origin got so far.
    private func sent(_ request: String) throws -> Playbook {
        let book = try Playbook()
        book.client(request)
        try book.connected()
        book.expect("connect http://a.test reuse")
        _ = book.originReads()
        return book
    }

    @Test("chunked bodies are reframed in both directions, trailers included")
    func chunkedBothWays() throws {
        let book = try Playbook()
        book.client("POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nab")
        try book.connected()
        #expect(book.originReads().hasSuffix("Transfer-Encoding: chunked\r\nVia: 1.1 atsgate\r\n\r\n2\r\nab\r\n"))
        book.client("c\r\n0\r\nX-Sum: 1\r\n\r\n")
        #expect(book.originReads() == "1\r\nc\r\n0\r\nX-Sum: 1\r\n\r\n")
        book.origin("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-End: 2\r\n\r\n")
        #expect(book.clientReads().hasSuffix("\r\n\r\n5\r\nhello\r\n0\r\nX-End: 2\r\n\r\n"))
        book.expect("connect http://a.test reuse", "record allowed 200 sent=3 received=5")
        book.end(records: 1)
    }

    @Test("an HTTP/1.0 client gets a chunked response without chunks, and the connection closes")
    func chunkedForOldClient() throws {
        let book = try sent("GET http://a.test/ HTTP/1.0\r\nHost: a.test\r\n\r\n")
        book.origin("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
        book.expect("record allowed 200 sent=0 received=5", "keep #1", "closeClient")
        #expect(book.clientReads() == "HTTP/1.1 200 OK\r\nConnection: close\r\nVia: 1.1 atsgate\r\n\r\nhello")
        book.end(records: 1)
    }

    @Test("a response that ends with the origin's connection is chunked for an HTTP/1.1 client")
    func untilClose() throws {
        let book = try sent(Self.get)
        book.origin("HTTP/1.1 200 OK\r\n\r\nhello")
        book.originEnded()
        book.expect("record allowed 200 sent=0 received=5", "close #1")
        #expect(
            book.clientReads().hasSuffix(
                "Transfer-Encoding: chunked\r\nVia: 1.1 atsgate\r\n\r\n5\r\nhello\r\n0\r\n\r\n"))
        book.end(records: 1)
    }

    @Test("a response that ends with the origin's connection also closes an HTTP/1.0 client's connection")
    func untilCloseForOldClient() throws {
        let book = try sent("GET http://a.test/ HTTP/1.0\r\n\r\n")
        book.origin("HTTP/1.0 200 OK\r\n\r\nhello")
        book.originEnded()
        book.expect("record allowed 200 sent=0 received=5", "close #1", "closeClient")
        #expect(book.clientReads().hasSuffix("\r\n\r\nhello"))
        book.end(records: 1)
    }

    @Test(
        "responses without a body keep the connection and their header fields",
        arguments: [
            ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", "Content-Length: 9\r\n"),
            ("GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", "Content-Length: 9\r\n"),
            ("GET", "HTTP/1.1 204 No Content\r\n\r\n", "204 No Content"),
        ])
    func withoutBody(method: String, answer: String, wanted: String) throws {
        let book = try sent("\(method) http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n")
        book.origin(answer)
        let text = book.clientReads()
        #expect(text.contains(wanted))
        #expect(text.hasSuffix("\r\n\r\n"))
        #expect(book.session.isBetweenLoads)
        book.clientEnded()
        #expect(book.transcript.contains("  keep #1"))
        book.end(records: 1)
    }

    @Test("a client that expects 100 gets it from the origin, then sends its body")
    func expectContinue() throws {
        let book = try sent(
            "PUT http://a.test/ HTTP/1.1\r\nHost: a.test\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
        book.origin("HTTP/1.1 100 Continue\r\n\r\n")
        #expect(book.clientReads() == "HTTP/1.1 100 Continue\r\nVia: 1.1 atsgate\r\n\r\n")
        book.client("abc")
        #expect(book.originReads() == "abc")
        book.origin("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
        book.expect("record allowed 201 sent=3 received=0")
        #expect(book.session.isBetweenLoads)
        book.end(records: 1)
    }

    @Test("an HTTP/1.0 client gets no interim responses")
    func interimForOldClient() throws {
        let book = try sent("GET http://a.test/ HTTP/1.0\r\n\r\n")
        book.origin("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n")
        #expect(book.clientReads().hasPrefix("HTTP/1.1 204 No Content\r\n"))
        book.end(records: 1)
    }

    @Test("an unrequested protocol switch is an invalid response")
    func switchingProtocols() throws {
        let book = try sent(Self.get)
        book.origin("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n")
        book.expect("record failed 502 sent=0 received=0 http.malformed", "close #1")
        #expect(book.clientReads().hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
        book.end(records: 1)
    }

    @Test("a response before the end of the request closes the client's connection and announces it")
    func earlyAnswer() throws {
        let book = try sent("POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 9\r\n\r\nabc")
        book.origin("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")
        book.expect("record allowed 413 sent=3 received=2", "close #1", "finishClient")
        #expect(book.clientReads().contains("Connection: close\r\n"))
        book.client("defghi")
        book.expect()
        book.end(records: 1)
    }

    @Test("a response that overlaps the request's last bytes completes the load")
    func overlappingAnswer() throws {
        let book = try sent("POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 9\r\n\r\nabc")
        book.origin("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nda")
        book.client("defghi")
        #expect(book.originReads() == "defghi" || book.originReads().isEmpty)
        book.origin("ta")
        #expect(book.records.map(\.words) == ["allowed 200 sent=9 received=4"])
        book.end(records: 1)
    }

    @Test("a truncated response is not completed for the client", arguments: [true, false])
    func originCut(reset: Bool) throws {
        for head in ["Content-Length: 9", "Transfer-Encoding: chunked"] {
            let book = try sent(Self.get)
            book.origin("HTTP/1.1 200 OK\r\n\(head)\r\n\r\n" + (head.hasPrefix("C") ? "hello" : "9\r\nhello"))
            book.originEnded(reset: reset)
            book.expect("record failed 200 sent=0 received=5 net.reset", "close #1", "closeClient")
            #expect(!book.clientReads().contains("\r\n0\r\n"))
            book.end(records: 1)
        }
    }

    @Test("a reset does not end a response that lasts until close")
    func resetIsNoEnd() throws {
        let book = try sent(Self.get)
        book.origin("HTTP/1.1 200 OK\r\n\r\nhello")
        book.originEnded(reset: true)
        book.expect("record failed 200 sent=0 received=5 net.reset", "close #1", "closeClient")
        #expect(!book.clientReads().hasSuffix("0\r\n\r\n"))
        book.end(records: 1)
    }

    @Test("an HTTP/1.0 client gets a reset if its response was cut")
    func cutForOldClient() throws {
        let book = try sent("GET http://a.test/ HTTP/1.0\r\n\r\n")
        book.origin("HTTP/1.1 200 OK\r\n\r\nhello")
        book.originEnded(reset: true)
        book.expect("record failed 200 sent=0 received=5 net.reset", "close #1", "resetClient")
        book.end(records: 1)
    }
}
