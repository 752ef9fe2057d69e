import Bytes
import HTTPWire
import Testing

struct MessageWriterTests {
    @Test(arguments: [
        (
            "GET http://A.example:81/p?q HTTP/1.1|Host: wrong|Accept: */*||",
            "GET /p?q HTTP/1.1|Host: a.example:81|Accept: */*|Via: 1.1 gate||"
        ),
        (
            "GET http://[::1] HTTP/1.0|Via: 1.0 other||",
            "GET / HTTP/1.1|Host: [::1]|Via: 1.0 other|Via: 1.0 gate||"
        ),
        (
            "GET /p HTTP/1.1|Accept:*/*|HOST: a||", "GET /p HTTP/1.1|HOST: a|Accept: */*|Via: 1.1 gate||"
        ),
        (
            "GET / HTTP/1.1|Host: a|Connection: X-Mine, close, Host, Content-Length|x-mine: 1|X-Mine: 2|Y: 3"
                + "|Keep-Alive: 5|Proxy-Connection: keep-alive|Proxy-Authorization: Basic eDp5|TE: gzip"
                + "|Upgrade: h2c|HTTP2-Settings: AAA|Trailer: T|Content-Length: 007||",
            "GET / HTTP/1.1|Host: a|Y: 3|Trailer: T|Content-Length: 7|Via: 1.1 gate||"
        ),
        (
            "POST / HTTP/1.1|Host: a|transfer-encoding: CHUNKED|TE: trailers, gzip|Expect: 100-continue||",
            "POST / HTTP/1.1|Host: a|Expect: 100-continue|TE: trailers|Transfer-Encoding: chunked|Connection: TE"
                + "|Via: 1.1 gate||"
        ),
        ("OPTIONS http://a HTTP/1.1|Host: a||", "OPTIONS * HTTP/1.1|Host: a|Via: 1.1 gate||"),
        ("OPTIONS * HTTP/1.1|Host: a||", "OPTIONS * HTTP/1.1|Host: a|Via: 1.1 gate||"),
        ("CONNECT a:443 HTTP/1.1|Host: b||", "CONNECT a:443 HTTP/1.1|Host: a:443|Via: 1.1 gate||"),
    ])
    func requestIsRewrittenInOriginForm(read: String, written: String) throws {
        #expect(try text(try request(read)) == written)
    }

    @Test func ownCredentialsForTheNextProxyReplaceThoseOfTheClient() throws {
        let head = try request("GET http://a/ HTTP/1.1|Host: a|Proxy-Authorization: Basic old||")
        let queue = ByteQueue()
        MessageWriter.request(
            head, asOriginForm: false, via: "gate", to: queue,
            proxyAuthorization: "Basic " + String(repeating: "x", count: 4_000) + "\r\nY: 1")
        let text = String(decoding: queue.bytes, as: UTF8.self)
        #expect(text.hasPrefix("GET http://a/ HTTP/1.1\r\nHost: a\r\nProxy-Authorization: Basic xxxx"))
        #expect(text.hasSuffix("xxxx  Y: 1\r\nVia: 1.1 gate\r\n\r\n"))
        #expect(!text.contains("old"))
    }

    @Test func absoluteFormCanBeKept() throws {
        let head = try request("GET http://a:80/p HTTP/1.1|Host: b||")
        #expect(try text(head, asOriginForm: false) == "GET http://a:80/p HTTP/1.1|Host: a:80|Via: 1.1 gate||")
        let whole = try request("OPTIONS http://a HTTP/1.1|Host: b||")
        #expect(try text(whole, asOriginForm: false) == "OPTIONS http://a HTTP/1.1|Host: a|Via: 1.1 gate||")
    }

    @Test func permittedUpgradeIsKept() throws {
        let head = try request("GET / HTTP/1.1|Host: a|Connection: Upgrade|Upgrade: websocket|Sec-WebSocket-Key: k||")
        let kept = "GET / HTTP/1.1|Host: a|Upgrade: websocket|Sec-WebSocket-Key: k|Connection: upgrade|Via: 1.1 gate||"
        #expect(try text(head, keepUpgrade: true) == kept)
        #expect(try text(head) == "GET / HTTP/1.1|Host: a|Sec-WebSocket-Key: k|Via: 1.1 gate||")
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK|Content-Length: 5|A: b||", Method.get, true, "HTTP/1.1 200 OK|A: b|Content-Length: 5"),
        ("HTTP/1.1 200 OK|Content-Length: 5||", .head, true, "HTTP/1.1 200 OK|Content-Length: 5"),
        ("HTTP/1.1 204 None|Content-Length: 5||", .get, true, "HTTP/1.1 204 None"),
        ("HTTP/1.1 304 Same|Content-Length: 5||", .get, true, "HTTP/1.1 304 Same|Content-Length: 5"),
        ("HTTP/1.1 100 Continue|Content-Length: 5||", .get, false, "HTTP/1.1 100 Continue"),
        ("HTTP/1.1 200|Connection: close, A|A: b|Keep-Alive: 3||", .get, false, "HTTP/1.1 200 |Connection: close"),
        (
            "HTTP/1.1 407 No|Proxy-Authenticate: Basic|transfer-encoding: chunked||", .get, true,
            "HTTP/1.1 407 No|Transfer-Encoding: chunked"
        ),
        (
            "HTTP/1.1 204 No|Connection: close, upgrade|Close: 1||", .get, true, "HTTP/1.1 204 No|Close: 1"
        ),
    ])
    func responseIsRewritten(read: String, method: Method, persistent: Bool, written: String) throws {
        let head = try response(read, to: method)
        let queue = ByteQueue()
        MessageWriter.response(head, framing: head.framing, persistent: persistent, via: "gate", to: queue)
        #expect(drained(queue) == written + "|Via: 1.1 gate||")
    }

    @Test func switchingProtocolsKeepsItsUpgrade() throws {
        let head = try response("HTTP/1.1 101 Go|Upgrade: websocket|Connection: upgrade||", to: .get)
        let queue = ByteQueue()
        MessageWriter.response(
            head, framing: .none, persistent: true, via: "gate", to: queue, keepUpgrade: true)
        #expect(drained(queue) == "HTTP/1.1 101 Go|Upgrade: websocket|Connection: upgrade|Via: 1.1 gate||")
    }

    @Test func textWithLineEndsCannotAddLines() {
        let queue = ByteQueue()
        let head = ResponseHead(status: 502, reason: "a\r\nX: y\u{0}")
        MessageWriter.response(head, framing: .fixed(0), persistent: true, via: "gate", to: queue)
        #expect(drained(queue) == "HTTP/1.1 502 a  X: y |Content-Length: 0|Via: 1.1 gate||")
    }

    @Test func chunksAndTrailersReadBackAsWritten() {
        let queue = ByteQueue()
        MessageWriter.request(
            RequestHead(method: .put, target: .path("/"), fields: host("a"), framing: .chunked), asOriginForm: true,
            via: "gate", to: queue)
        for size in [1, 10, 15, 16, 255, 4_096] {
            [UInt8](repeating: 0x61, count: size).withUnsafeBytes { MessageWriter.chunk($0, to: queue) }
        }
        MessageWriter.chunk(UnsafeRawBufferPointer(start: nil, count: 0), to: queue)
        var trailers = FieldBlock()
        for name in ["X-Sum", "Content-Length", "Host", "Connection", "X-End"] { trailers.append(name, "1") }
        MessageWriter.chunkEnd(trailers: trailers, to: queue)
        let transcript = Transcript.of(Array(queue.bytes))
        #expect(transcript.error == nil)
        #expect(transcript.lines.contains("body " + String(repeating: "a", count: 1 + 10 + 15 + 16 + 255 + 4_096)))
        #expect(transcript.lines.suffix(4) == ["trailers", "  X-Sum=1", "  X-End=1", "end"])
    }

    @Test(arguments: Fixture.requests.filter { $0.error == nil })
    func writtenRequestReadsBackWithTheSameMeaning(fixture: Fixture) throws {
        var feed = Feed(reader: .requests())
        feed.waiting = fixture.bytes
        while let step = try feed.waiting.withUnsafeBytes({ outcome(of: &feed.reader, $0) }).get()
            as MessageReader.Step?,
            let event = step.event
        {
            feed.waiting.removeFirst(step.consumed)
            guard case .requestHead(var head) = event else { continue }
            // HTTP/1.0 may omit Host; the output is HTTP/1.1, and its sender knows the host.
            if !head.fields.contains(.host) { head.fields.append(.host, "a") }
            let again = try request(try text(head, asOriginForm: false))
            #expect(again.method == head.method)
            #expect(again.target == head.target)
            #expect(again.framing == head.framing)
        }
    }

    private func host(_ name: String) -> FieldBlock {
        var fields = FieldBlock()
        fields.append(.host, name)
        return fields
    }

    private func text(_ head: RequestHead, asOriginForm: Bool = true, keepUpgrade: Bool = false) throws -> String {
        let queue = ByteQueue()
        MessageWriter.request(head, asOriginForm: asOriginForm, via: "gate", to: queue, keepUpgrade: keepUpgrade)
        return drained(queue)
    }

    private func drained(_ queue: ByteQueue) -> String {
        String(decoding: queue.bytes, as: UTF8.self).replacing("\r\n", with: "|")
    }

    private func request(_ text: String) throws -> RequestHead {
        var reader = MessageReader.requests()
        let step = try wire(text).withUnsafeBytes { outcome(of: &reader, $0) }.get()
        guard case .requestHead(let head)? = step.event else { throw WireError.headCutShort }
        return head
    }

    private func response(_ text: String, to method: Method) throws -> ResponseHead {
        var reader = MessageReader.responses()
        reader.expectResponse(to: method)
        let step = try wire(text).withUnsafeBytes { outcome(of: &reader, $0) }.get()
        guard case .responseHead(let head)? = step.event else { throw WireError.headCutShort }
        return head
    }
}
