import ProxyCore
import Testing

@Suite("bodies, interim answers and how messages end")
struct BodyTests {
    private static let get = KeepAliveTests.get

    /// A playbook that has sent `request` over its first link; what was written so far is thrown away.
    private func sent(_ request: String) throws -> Playbook {
        let book = try Playbook()
        book.client(request)
        try book.connected()
        book.expect("connect http://a.test main reuse")
        _ = book.originReads()
        return book
    }

    @Test("chunks are made anew both ways, trailers go along")
    func chunkedBothWays() throws {
        let book = try Playbook()
        book.client("POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nab")
        try book.connected()
        #expect(book.originReads().hasSuffix("Transfer-Encoding: chunked\r\nVia: 1.1 atsgate\r\n\r\n2\r\nab\r\n"))
        book.client("c\r\n0\r\nX-Sum: 1\r\n\r\n")
        #expect(book.originReads() == "1\r\nc\r\n0\r\nX-Sum: 1\r\n\r\n")
        book.origin("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-End: 2\r\n\r\n")
        #expect(book.clientReads().hasSuffix("\r\n\r\n5\r\nhello\r\n0\r\nX-End: 2\r\n\r\n"))
        book.expect("connect http://a.test main reuse", "record allowed 200 sent=3 received=5")
        book.end(records: 1)
    }

    @Test("an old client gets a chunked answer as it is, and the end of the connection")
    func chunkedForOldClient() throws {
        let book = try sent("GET http://a.test/ HTTP/1.0\r\nHost: a.test\r\n\r\n")
        book.origin("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
        book.expect("record allowed 200 sent=0 received=5", "keep #1", "closeClient")
        #expect(book.clientReads() == "HTTP/1.1 200 OK\r\nConnection: close\r\nVia: 1.1 atsgate\r\n\r\nhello")
        book.end(records: 1)
    }

    @Test("an answer that lasts until the origin closes is chunked for a client that knows chunks")
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

    @Test("the same for an old client ends its connection")
    func untilCloseForOldClient() throws {
        let book = try sent("GET http://a.test/ HTTP/1.0\r\n\r\n")
        book.origin("HTTP/1.0 200 OK\r\n\r\nhello")
        book.originEnded()
        book.expect("record allowed 200 sent=0 received=5", "close #1", "closeClient")
        #expect(book.clientReads().hasSuffix("\r\n\r\nhello"))
        book.end(records: 1)
    }

    @Test(
        "answers without a body keep the connection and what their fields say",
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

    @Test("an old client is spared interim answers")
    func interimForOldClient() throws {
        let book = try sent("GET http://a.test/ HTTP/1.0\r\n\r\n")
        book.origin("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n")
        #expect(book.clientReads().hasPrefix("HTTP/1.1 204 No Content\r\n"))
        book.end(records: 1)
    }

    @Test("a change of protocol that nobody asked for is no answer")
    func switchingProtocols() throws {
        let book = try sent(Self.get)
        book.origin("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n")
        book.expect("record failed 502 sent=0 received=0 http.malformed", "close #1")
        #expect(book.clientReads().hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
        book.end(records: 1)
    }

    @Test("an answer before the request's end ends the client's connection, and says so")
    func earlyAnswer() throws {
        let book = try sent("POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 9\r\n\r\nabc")
        book.origin("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")
        book.expect("record allowed 413 sent=3 received=2", "close #1", "finishClient")
        #expect(book.clientReads().contains("Connection: close\r\n"))
        book.client("defghi")
        book.expect()
        book.end(records: 1)
    }

    @Test("an answer that overlaps the request's last bytes is a whole load")
    func overlappingAnswer() throws {
        let book = try sent("POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 9\r\n\r\nabc")
        book.origin("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nda")
        book.client("defghi")
        #expect(book.originReads() == "defghi" || book.originReads().isEmpty)
        book.origin("ta")
        #expect(book.records.map(\.words) == ["allowed 200 sent=9 received=4"])
        book.end(records: 1)
    }

    @Test("an answer cut short is not finished for the client", arguments: [true, false])
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

    @Test("a reset is not the end of an answer that lasts until close")
    func resetIsNoEnd() throws {
        let book = try sent(Self.get)
        book.origin("HTTP/1.1 200 OK\r\n\r\nhello")
        book.originEnded(reset: true)
        book.expect("record failed 200 sent=0 received=5 net.reset", "close #1", "closeClient")
        #expect(!book.clientReads().hasSuffix("0\r\n\r\n"))
        book.end(records: 1)
    }

    @Test("a client of HTTP/1.0 learns by a reset that its answer was cut")
    func cutForOldClient() throws {
        let book = try sent("GET http://a.test/ HTTP/1.0\r\n\r\n")
        book.origin("HTTP/1.1 200 OK\r\n\r\nhello")
        book.originEnded(reset: true)
        book.expect("record failed 200 sent=0 received=5 net.reset", "close #1", "resetClient")
        book.end(records: 1)
    }
}
