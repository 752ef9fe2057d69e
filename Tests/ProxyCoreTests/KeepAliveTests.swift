import ProxyCore
import Testing

@Suite("connections that carry more than one load")
struct KeepAliveTests {
    static let get = "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n"
    static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test("the second load to the same host uses the same link")
    func sameHost() throws {
        let book = try Playbook()
        for turn in 0..<2 {
            book.client(Self.get)
            if turn == 0 { try book.connected() }
            book.origin(Self.ok)
        }
        book.expect(
            "connect http://a.test reuse", "record allowed 200 sent=0 received=2",
            "record allowed 200 sent=0 received=2")
        book.end(records: 2)
    }

    @Test("a load to another host returns the link to the pool, or closes it if it is unfit")
    func otherHost() throws {
        let book = try Playbook()
        book.client(Self.get)
        try book.connected()
        book.origin(Self.ok)
        book.client("GET http://b.test/ HTTP/1.1\r\nHost: b.test\r\n\r\n")
        try book.connected()
        book.origin("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
        book.client(Self.get)
        book.expect(
            "connect http://a.test reuse", "record allowed 200 sent=0 received=2", "keep #1",
            "connect http://b.test reuse", "record allowed 200 sent=0 received=2", "close #2",
            "connect http://a.test reuse")
        try book.connected(book.links[0])
        book.origin(Self.ok, on: book.links[0])
        book.end(records: 3)
    }

    @Test("pipelined requests are answered in order, one at a time, also after the client has half-closed")
    func pipelined() throws {
        let book = try Playbook()
        book.client(Self.get + "GET http://a.test/2 HTTP/1.1\r\nHost: a.test\r\n\r\n" + Self.get)
        book.clientEnded()
        book.expect("connect http://a.test reuse")
        try book.connected()
        #expect(book.originReads().hasPrefix("GET / "))
        book.origin(Self.ok)
        #expect(book.originReads().hasPrefix("GET /2 "))
        book.origin(Self.ok)
        #expect(book.originReads().hasPrefix("GET / "))
        book.origin(Self.ok)
        let record = "record allowed 200 sent=0 received=2"
        book.expect(record, record, record, "keep #1", "closeClient")
        book.end(records: 3)
    }

    @Test("a reused link that dies before the response is replaced once if the request can be repeated")
    func retried() throws {
        let book = try Playbook()
        book.client(Self.get)
        try book.connected()
        book.origin(Self.ok)
        book.client(Self.get)
        book.expect("connect http://a.test reuse", "record allowed 200 sent=0 received=2")
        book.originEnded(reset: true)
        book.expect("close #1", "connect http://a.test new")
        try book.connected()
        #expect(book.originReads().hasPrefix("GET / HTTP/1.1\r\n"))
        book.originEnded()
        book.expect("record failed 502 sent=0 received=0 net.reset", "close #2")
        #expect(book.clientReads().contains("HTTP/1.1 502 Bad Gateway\r\n"))
        book.end(records: 2)
    }

    @Test("a request with a body is not sent twice")
    func notRetried() throws {
        let book = try Playbook()
        book.client(Self.get)
        try book.connected()
        book.origin(Self.ok)
        book.client("POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 3\r\n\r\nabc")
        book.originEnded()
        book.expect(
            "connect http://a.test reuse", "record allowed 200 sent=0 received=2",
            "record failed 502 sent=3 received=0 net.reset", "close #1")
        book.end(records: 2)
    }

    @Test("a load is not retried after a fresh link dies")
    func freshLinkDies() throws {
        let book = try Playbook()
        book.client(Self.get)
        try book.connected()
        book.originEnded()
        book.expect(
            "connect http://a.test reuse", "record failed 502 sent=0 received=0 net.reset", "close #1")
        book.end(records: 1)
    }

    @Test(
        "a link with an unfinished or overlong response is not reused",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\n",
            "HTTP/1.1 204 No Content\r\n\r\nx", "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 103 Early Hints\r\nConnection: close\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
        ])
    func unfitLink(answer: String) throws {
        let book = try Playbook()
        book.client(Self.get)
        try book.connected()
        book.origin(answer)
        book.client(Self.get)
        #expect(book.transcript.contains("  close #1"))
        #expect(book.transcript.last == "  connect http://a.test reuse")
        book.end(records: 2)
    }

    @Test("unsolicited bytes from an origin between two loads close its link")
    func outOfTurn() throws {
        let book = try Playbook()
        book.client(Self.get)
        try book.connected()
        book.origin(Self.ok)
        book.origin("HTTP/1.1 200 OK\r\n")
        book.expect(
            "connect http://a.test reuse", "record allowed 200 sent=0 received=2", "close #1")
        book.end(records: 1)
    }

    @Test("CONNECT after a load releases that load's link")
    func connectAfterLoad() throws {
        let book = try Playbook()
        book.client(Self.get)
        try book.connected()
        book.origin(Self.ok)
        book.client("CONNECT b.test:443 HTTP/1.1\r\nHost: b.test:443\r\n\r\n")
        book.expect(
            "connect http://a.test reuse", "record allowed 200 sent=0 received=2", "keep #1",
            "connect https://b.test reuse")
        book.end(records: 2)
    }

    @Test(
        "a client's request to close the connection is honored",
        arguments: ["HTTP/1.0\r\n", "HTTP/1.1\r\nConnection: close\r\n"])
    func clientCloses(version: String) throws {
        let book = try Playbook()
        book.client("GET http://a.test/ \(version)Host: a.test\r\n\r\n")
        try book.connected()
        book.origin(Self.ok)
        book.expect(
            "connect http://a.test reuse", "record allowed 200 sent=0 received=2", "keep #1", "closeClient")
        #expect(book.clientReads().contains("\r\nConnection: close\r\n"))
        book.end(records: 1)
    }
}
