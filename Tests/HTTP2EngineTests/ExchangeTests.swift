import Bytes
import HTTP2Engine
import HTTPWire
import Testing

@Suite("requests and responses")
struct ExchangeTests {
    private func answer(_ pair: Pair, _ head: ResponseHead, _ body: [UInt8]? = nil, trailers: FieldBlock? = nil) {
        pair.serverEar.onRequest = { _, stream in
            stream.answer(head, endsStream: body == nil && trailers == nil)
            if let body { stream.send(body) }
            if body != nil || trailers != nil { stream.finish(trailers: trailers) }
        }
    }

    @Test("a request without a body gets a response with one")
    func plain() throws {
        let pair = try Pair()
        answer(
            pair, ResponseHead(status: 200, reason: "x", fields: fields([("X-A", "1")]), framing: .fixed(2)),
            Array("hi".utf8))
        let stream = pair.request(.get, "/a?b", [("Host", "A.test:8443"), ("Accept", "*/*")])
        #expect(stream?.id == 1)
        pair.carry()
        #expect(
            pair.serverEar.lines.filter { $0 != "settings" } == [
                "1 GET https path(\"/a?b\") none ends", "  Host=A.test:8443", "  accept=*/*", "  via=1.1 app",
                "1 ended after 0", "1 closed done",
            ])
        #expect(
            pair.appEar.lines.filter { $0 != "settings" } == [
                "1 200 fixed(2)", "  x-a=1", "  content-length=2", "  via=1.1 gate", "1 ended after 2",
                "1 closed done",
            ])
        #expect(pair.serverEar.drainedBytes[1] == 2)
        #expect(stream?.isClosed == true && pair.app.activeStreams == 0 && pair.server.activeStreams == 0)
    }

    @Test("Via contains the received version when a message is forwarded")
    func via() throws {
        let pair = try Pair()
        let next = try Pair()
        pair.serverEar.onRequest = { request, _ in _ = next.app.open(request, handler: next.appEar) }
        pair.request()
        pair.carry()
        next.carry()
        #expect(next.serverEar.requests[1]?.head.fields.values(of: .via) == ["1.1 app", "2 app"])
        let queue = ByteQueue()
        let head = try #require(pair.serverEar.requests[1]?.head)
        MessageWriter.request(head, asOriginForm: true, via: "gate", to: queue)
        let text = String(decoding: queue.bytes, as: UTF8.self)
        #expect(text == "GET / HTTP/1.1\r\nHost: a.test\r\nvia: 1.1 app\r\nVia: 2 gate\r\n\r\n")
    }

    @Test("bodies of unknown length with trailers pass in both directions")
    func trailers() throws {
        let pair = try Pair()
        let trailing = fields([("X-Sum", "1"), ("Content-Length", "9"), ("Connection", "x")])
        answer(
            pair, ResponseHead(status: 200, reason: "", framing: .chunked), [UInt8](repeating: 1, count: 100_000),
            trailers: trailing)
        pair.request(
            .post, "/", [("Host", "a.test"), ("TE", "gzip, trailers"), ("Expect", "100-continue")],
            framing: .chunked, body: [UInt8](repeating: 2, count: 70_000), trailers: trailing)
        pair.carry()
        #expect(pair.serverEar.requests[1]?.head.framing == .chunked)
        #expect(pair.serverEar.requests[1]?.head.expectsContinue == true)
        #expect(pair.serverEar.requests[1]?.head.fields.value(of: .te) == "trailers")
        #expect(pair.serverEar.bodies[1]?.count == 70_000 && pair.appEar.bodies[1]?.count == 100_000)
        #expect(text(try #require(pair.serverEar.trailers[1])) == ["  x-sum=1"])
        #expect(text(try #require(pair.appEar.trailers[1])) == ["  x-sum=1"])
        #expect(pair.appEar.ends[1] == .done && pair.serverEar.ends[1] == .done)
    }

    @Test("trailers without a body and a response that consists of a head pass")
    func bare() throws {
        let pair = try Pair()
        answer(pair, ResponseHead(status: 200, reason: "", framing: .chunked), trailers: fields([("Grpc-Status", "0")]))
        pair.request(.post, "/", framing: .chunked, trailers: fields([("A", "b")]))
        pair.carry()
        #expect(text(try #require(pair.appEar.trailers[1])) == ["  grpc-status=0"])
        #expect(text(try #require(pair.serverEar.trailers[1])) == ["  a=b"])
        answer(pair, ResponseHead(status: 200, reason: "", fields: fields([("grpc-status", "5")]), framing: .none))
        pair.request(.post, "/", framing: .chunked, body: [])
        pair.carry()
        #expect(pair.appEar.answers[3]?.framing == BodyFraming.none)
        #expect(pair.appEar.answers[3]?.fields.value(named: "grpc-status") == "5")
        #expect(pair.appEar.ends[3] == .done)
    }

    @Test("interim responses precede the final one")
    func interim() throws {
        let pair = try Pair()
        pair.serverEar.onRequest = { _, stream in
            stream.answer(ResponseHead(status: 100, reason: "", framing: .none), endsStream: false)
            stream.answer(
                ResponseHead(status: 103, reason: "", fields: fields([("Link", "</a>")]), framing: .none),
                endsStream: false)
            stream.answer(ResponseHead(status: 204, reason: "", framing: .none), endsStream: true)
        }
        pair.request(.post, "/", framing: .fixed(1), body: [1])
        pair.carry()
        #expect(
            pair.appEar.lines.filter { $0.hasPrefix("1 ") } == [
                "1 100 none", "1 103 none", "1 204 none ends", "1 ended after 0", "1 closed done",
            ])
    }

    @Test("the response to HEAD keeps its length and has no body", arguments: [200, 304])
    func head(status: Int) throws {
        let pair = try Pair()
        answer(
            pair,
            ResponseHead(status: status, reason: "", fields: fields([("Content-Length", "77")]), framing: .none))
        pair.request(.head)
        pair.carry()
        #expect(pair.appEar.answers[1]?.framing == BodyFraming.none)
        #expect(pair.appEar.answers[1]?.fields.value(of: .contentLength) == "77")
        #expect(pair.appEar.ends[1] == .done)
    }

    @Test("connection-specific fields are dropped, names become lower case, and order is kept")
    func hopByHop() throws {
        let pair = try Pair()
        answer(
            pair,
            ResponseHead(
                status: 200, reason: "",
                fields: fields([
                    ("Connection", "X-Mine"), ("X-Mine", "1"), ("Keep-Alive", "1"), ("Proxy-Authenticate", "x"),
                    ("Set-Cookie", "a"), ("Set-Cookie", "b"), ("Transfer-Encoding", "chunked"), ("Upgrade", "h2c"),
                ]), framing: .chunked), [])
        pair.request(
            .get, "/",
            [
                ("B", "1"), ("Connection", "X-Mine, te"), ("X-Mine", "1"), ("Host", "a.test"), ("TE", "gzip"),
                ("Proxy-Authorization", "x"), ("HTTP2-Settings", "x"), ("Proxy-Connection", "x"), ("A", "2"),
                ("Upgrade", "websocket"),
            ])
        pair.carry()
        #expect(
            text(try #require(pair.serverEar.requests[1]).head.fields) == [
                "  Host=a.test", "  b=1", "  a=2", "  via=1.1 app",
            ])
        #expect(
            text(try #require(pair.appEar.answers[1]).fields) == [
                "  set-cookie=a", "  set-cookie=b", "  via=1.1 gate",
            ])
    }

    @Test("cookie fields are joined at the position of the first one")
    func cookies() throws {
        let pair = try Pair()
        pair.request(
            .get, "/", [("Cookie", "a=1"), ("X", "y"), ("Cookie", "b=2"), ("Host", "a.test"), ("cookie", "c")])
        pair.carry()
        #expect(
            text(try #require(pair.serverEar.requests[1]).head.fields) == [
                "  Host=a.test", "  cookie=a=1; b=2; c", "  x=y", "  via=1.1 app",
            ])
    }

    @Test("CONNECT, plain and extended, and OPTIONS * pass")
    func targets() throws {
        let pair = try Pair()
        #expect(!pair.app.peerAllowsConnectProtocol)
        pair.server.allowConnectProtocol()
        pair.carry()
        #expect(pair.app.peerAllowsConnectProtocol)
        answer(pair, ResponseHead(status: 200, reason: "", framing: .chunked), [1, 2, 3])
        let tunnel = RequestHead(method: .connect, target: .authority(host: "::1", port: 443))
        let socket = RequestHead(method: .connect, target: .path("/chat"), fields: fields([("Host", "a.test")]))
        let whole = RequestHead(method: .options, target: .asterisk, fields: fields([("Host", "a.test")]))
        let absolute = RequestHead(
            method: .get, target: .absolute(AbsoluteTarget(scheme: "http", host: "b", port: 81, path: "/x")),
            fields: fields([("Host", "c")]))
        for (head, name) in [(tunnel, nil), (socket, "websocket"), (whole, nil), (absolute, nil)] {
            let request = HTTP2Request(head: head, scheme: "https", protocolName: name, endsStream: false)
            let stream = try #require(pair.app.open(request, handler: pair.appEar))
            stream.finish()
        }
        pair.carry()
        #expect(
            pair.serverEar.lines.filter { $0.contains("chunked") || $0.contains("Host") } == [
                "1 CONNECT  authority(host: \"::1\", port: 443) chunked", "  Host=[::1]:443",
                "3 CONNECT https path(\"/chat\") chunked protocol websocket", "  Host=a.test",
                "5 OPTIONS https asterisk chunked", "  Host=a.test", "7 GET http path(\"/x\") chunked", "  Host=b:81",
            ])
        #expect(pair.appEar.bodies[1] == [1, 2, 3])
    }

    @Test("a hundred streams work concurrently, and no more than the peer allows")
    func manyStreams() throws {
        let pair = try Pair()
        var waiting: [HTTP2Stream] = []
        pair.serverEar.onRequest = { _, stream in waiting.append(stream) }
        for _ in 0..<100 { #expect(pair.request() != nil) }
        #expect(!pair.app.canOpenStream && pair.request() == nil)
        pair.carry()
        #expect(pair.server.activeStreams == 100 && pair.app.peerConcurrentStreams == 100)
        for stream in waiting { stream.answer(ResponseHead(status: 204, reason: "", framing: .none), endsStream: true) }
        pair.carry()
        #expect(pair.app.activeStreams == 0 && pair.server.activeStreams == 0 && pair.app.canOpenStream)
        #expect(pair.appEar.ends.values.allSatisfy { $0 == .done } && pair.appEar.ends.count == 100)
    }

    @Test("a request head that HTTP/2 cannot express is not sent", arguments: ["/a b", "/\r\nx", "/\u{0}", ""])
    func unsayable(path: String) throws {
        let pair = try Pair()
        #expect(pair.request(.get, path) == nil)
        #expect(pair.request(.get, "/", []) == nil)
        #expect(pair.app.activeStreams == 0)
    }
}
