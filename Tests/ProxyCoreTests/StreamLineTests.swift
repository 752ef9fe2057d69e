import ATSPolicy
import HTTP2Engine
import HTTPWire
import ProxyCore
import Records
import TLSEngine
import Testing

@Suite("HTTP/2 loads whose origin speaks HTTP/1.1")
struct StreamLineTests {
    @Test(
        "a client that only speaks HTTP/2 reaches an HTTP/1.1 origin by translation",
        arguments: [[], ["http/1.1"]] as [[String]])
    func translated(served: [String]) throws {
        let streams = try StreamBook(alpn: ["h2"], serves: served)
        #expect(streams.book.app?.machine.negotiatedALPN == "h2")
        let first = try streams.ask(.plain("/1", fields: [("cookie", "a=1"), ("cookie", "b=2")]))
        let request = streams.book.peerReads()
        #expect(request.hasPrefix("GET /1 HTTP/1.1\r\nHost: good.test\r\n"))
        #expect(request.contains("cookie: a=1; b=2\r\n"))
        let second = try streams.ask(.plain("/2"))
        try streams.connected(serves: served)
        #expect(streams.book.peerReads(on: streams.book.links[1]).hasPrefix("GET /2 HTTP/1.1\r\n"))
        streams.book.peerSends(
            "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
                + "Connection: keep-alive\r\n\r\n3\r\nabc\r\n0\r\nx-sum: 6\r\n\r\n", on: streams.book.links[0])
        streams.book.peerSends("HTTP/1.1 204 No Content\r\n\r\n", on: streams.book.links[1])
        streams.carry()
        #expect(first.heads.map(\.status) == [103, 200] && first.text == "abc")
        #expect(first.trailers?.value(named: "x-sum") == "6")
        #expect(second.status == 204 && second.hasEnded)
        let third = try streams.ask(.plain("/3"))
        #expect(streams.book.peerReads(on: streams.book.links[0]).hasPrefix("GET /3 "))
        streams.book.originEnded(on: streams.book.links[0])
        streams.carry()
        #expect(streams.book.peerReads(on: streams.book.links[1]).hasPrefix("GET /3 "))
        streams.book.peerSends("HTTP/1.1 200 OK\r\n\r\nuntil the end", on: streams.book.links[1])
        streams.book.originEnded(on: streams.book.links[1])
        streams.carry()
        #expect(third.end == .reset(code: 2) || third.text == "until the end")
        streams.book.end(records: 3)
    }

    @Test("a body of unknown length is sent to HTTP/1.1 in chunks")
    func translatedUpload() throws {
        let streams = try StreamBook(alpn: ["h2"], serves: [])
        let log = StreamLog()
        let stream = try #require(
            streams.app.machine.open(.plain("/up", method: .post, endsStream: false), handler: log))
        stream.send("hello")
        stream.finish(trailers: nil)
        streams.carry()
        let request = streams.book.peerReads()
        #expect(request.contains("Transfer-Encoding: chunked\r\n") && request.hasSuffix("5\r\nhello\r\n0\r\n\r\n"))
        streams.book.peerSends("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        streams.carry()
        #expect(log.text == "ok" && log.end == .done)
        #expect(streams.book.records.map(\.words) == ["allowed 200 sent=5 received=2"])
        streams.book.end(records: 1)
    }
}
