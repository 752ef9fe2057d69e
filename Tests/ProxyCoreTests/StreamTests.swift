import ATSPolicy
import HTTP2Engine
import HTTPWire
import ProxyCore
import Records
import TLSEngine
import Testing

@Suite("HTTP/2 loads")
struct StreamTests {
    @Test("loads are multiplexed over one origin connection, each with its own record")
    func multiplexed() throws {
        let streams = try StreamBook()
        #expect(streams.book.app?.machine.negotiatedALPN == "h2")
        let first = try streams.ask(.plain("/1", fields: [("User-Agent", "App/1")]))
        let second = try streams.ask(.plain("/2"))
        let asked = try #require(streams.origin).requests
        #expect(asked.map { $0.request?.head.target } == [.path("/1"), .path("/2")])
        #expect(asked.first?.request?.head.fields.value(of: .host) == "good.test")
        #expect(asked.first?.request?.head.fields.values(of: .via).contains("2 atsgate") == true)
        asked[1].stream?.answer(200, "two")
        asked[0].stream?.answer(404, "one", fields: [("content-type", "text/plain")])
        streams.carry()
        #expect(first.status == 404 && first.text == "one" && first.end == .done)
        #expect(first.heads.last?.fields.value(named: "content-type") == "text/plain")
        #expect(second.status == 200 && second.text == "two")
        #expect(
            streams.book.records.map(\.words) == ["allowed 200 sent=0 received=3", "allowed 404 sent=0 received=3"])
        #expect(streams.book.records.map(\.load.path) == ["/2", "/1"])
        #expect(streams.book.records.allSatisfy { $0.load.wireProtocol == .http2 })
        #expect(streams.book.records.last?.client.userAgent == "App/1")
        #expect(streams.book.records.last?.timing.connect == 1_000)
        streams.book.clientEnded()
        streams.book.expect(
            "connect https://good.test reuse", "record allowed 200 sent=0 received=3",
            "record allowed 404 sent=0 received=3", "keep #1", "closeClient")
        streams.book.end(records: 2)
    }

    @Test("a pooled HTTP/2 connection serves the next HTTP/2 client, but no HTTP/1.1 client")
    func pooled() throws {
        let first = try StreamBook()
        try first.ask(.plain("/1"))
        first.origin?.requests[0].stream?.answer(204)
        first.carry()
        first.book.clientEnded()
        let link = first.book.links[0]
        let second = try StreamBook(loop: first.book.loop, over: link)
        #expect(second.book.app?.machine.negotiatedALPN == "h2")
        second.book.clientEnded()
        second.book.expect(
            "connect https://good.test reuse", "keep #idle",
            "record allowed - sent=0 received=0", "closeClient")
        let third = try StreamBook(alpn: ["http/1.1"], loop: first.book.loop, over: link)
        third.book.expect("connect https://good.test reuse", "keep #idle", "connect https://good.test new")
        third.book.clientLost()
    }

    @Test("request bodies, trailers and trailers-only responses pass, as gRPC sends them")
    func grpc() throws {
        let streams = try StreamBook()
        let request = HTTP2Request.plain(
            "/s/Method", method: .post, fields: [("te", "trailers"), ("content-type", "application/grpc")],
            endsStream: false)
        let log = StreamLog(request)
        let stream = try #require(streams.app.machine.open(request, handler: log))
        stream.send("question")
        streams.carry()
        let asked = try #require(streams.origin?.requests.first)
        #expect(asked.request?.head.fields.value(named: "te") == "trailers")
        #expect(asked.text == "question" && !asked.hasEnded)
        asked.stream?.answer(
            ResponseHead(status: 200, reason: "", framing: .chunked), endsStream: false)
        asked.stream?.send("answer")
        var trailers = FieldBlock()
        trailers.append("grpc-status", "0")
        asked.stream?.finish(trailers: trailers)
        stream.finish(trailers: nil)
        streams.carry()
        #expect(log.text == "answer" && log.trailers?.value(named: "grpc-status") == "0")
        let only = try streams.ask(.plain("/s/Other", method: .post))
        streams.origin?.requests[1].stream?.answer(200, fields: [("grpc-status", "12")])
        streams.carry()
        #expect(only.hasEnded && only.heads.last?.fields.value(named: "grpc-status") == "12")
        #expect(
            streams.book.records.map(\.words) == ["allowed 200 sent=8 received=6", "allowed 200 sent=0 received=0"])
        streams.book.end(records: 2)
    }

    @Test("HTTP/3 is removed from Alt-Svc in trailers under either version", arguments: [["h2"], ["http/1.1"]])
    func alternativesInTrailers(serves: [String]) throws {
        let streams = try StreamBook(alpn: ["h2"], serves: serves)
        let log = try streams.ask(.plain("/"))
        let offers = [#"h3=":443"; ma=9"#, #"h3-29=":1", h2=":8443""#]
        if let stream = streams.origin?.requests.first?.stream {
            var trailers = FieldBlock()
            trailers.append("x-sum", "6")
            for offer in offers { trailers.append("alt-svc", offer) }
            stream.answer(ResponseHead(status: 200, reason: "", framing: .chunked), endsStream: false)
            stream.send("ok")
            stream.finish(trailers: trailers)
        } else {
            let lines = offers.map { "alt-svc: \($0)\r\n" }.joined()
            streams.book.peerSends(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nx-sum: 6\r\n\(lines)\r\n")
        }
        streams.carry()
        #expect(log.text == "ok" && log.trailers?.value(named: "x-sum") == "6")
        #expect(log.trailers?.values(of: .altSvc) == [#"h2=":8443""#])
        #expect(streams.book.records.map(\.removed) == [["alt-svc h3", "alt-svc h3-29"]])
        streams.book.end(records: 1)
    }

    @Test("a reader that does not read stalls only its own stream")
    func slowStream() throws {
        let streams = try StreamBook()
        let slow = try streams.ask(.plain("/slow"), consumes: false)
        let quick = try streams.ask(.plain("/quick"))
        let asked = try #require(streams.origin).requests
        let piece = String(repeating: "x", count: 2_000_000)
        for log in asked { log.stream?.answer(200, piece) }
        streams.carry()
        #expect(quick.body.count == piece.count && quick.end == .done)
        #expect(slow.body.count == 65_536)
        // The rest stays with the origin: the gate holds at most a window.
        #expect((asked[0].stream?.queuedBytes ?? 0) >= 2_000_000 - 3 * 65_536)
        #expect(streams.book.records.map(\.words) == ["allowed 200 sent=0 received=2000000"])
        streams.book.end(records: 2)
    }

    @Test("a client with wide windows that sends no updates for long does not stall its origin")
    func wideWindows() throws {
        var wide = HTTP2Limits()
        wide.streamWindowBytes = 16_777_216
        let streams = try StreamBook(appLimits: wide)
        let log = try streams.ask(.plain("/wide"))
        streams.origin?.requests.first?.stream?.answer(200, String(repeating: "x", count: 2_000_000))
        streams.carry()
        #expect(log.body.count == 2_000_000 && log.end == .done)
        streams.book.end(records: 1)
    }

    @Test("an upload that the origin does not read is paused at the client")
    func slowOrigin() throws {
        let streams = try StreamBook()
        streams.origin?.consumes = false
        let log = StreamLog()
        let stream = try #require(
            streams.app.machine.open(.plain("/up", method: .put, endsStream: false), handler: log))
        stream.send(String(repeating: "x", count: 2_000_000))
        stream.finish(trailers: nil)
        streams.carry()
        #expect(streams.origin?.requests.first?.body.count == 65_536)
        #expect(stream.queuedBytes >= 2_000_000 - 3 * 65_536)
        streams.origin?.requests.first?.stream?.reset(.refusedStream)
        streams.carry()
        #expect(log.end == .refused)
        #expect(streams.book.records.first?.words.hasPrefix("failed - sent=") == true)
        streams.book.end(records: 1)
    }

    @Test("bytes that precede an origin's reset still reach the client, followed by the reset")
    func resetBehindBody() throws {
        let streams = try StreamBook()
        let slow = try streams.ask(.plain("/slow"), consumes: false)
        let asked = try #require(streams.origin?.requests.first)
        asked.stream?.answer(ResponseHead(status: 200, reason: "", framing: .chunked), endsStream: false)
        asked.stream?.send(String(repeating: "x", count: 100_000))
        streams.carry()
        #expect(slow.body.count == 65_536 && asked.stream?.queuedBytes == 0)
        asked.stream?.reset(.enhanceYourCalm)
        streams.carry()
        #expect(slow.end == nil)
        #expect(streams.book.records.map(\.words) == ["failed 200 sent=0 received=100000 net.reset"])
        slow.consumes = true
        slow.stream?.consume(slow.body.count)
        streams.carry()
        #expect(slow.body.count == 100_000 && slow.end == .reset(code: 11))
        streams.book.end(records: 1)
    }

    @Test("an origin's reset reaches the client with the same code, and other streams continue")
    func originReset() throws {
        let streams = try StreamBook()
        let first = try streams.ask(.plain("/1"))
        let second = try streams.ask(.plain("/2"))
        let asked = try #require(streams.origin).requests
        asked[0].stream?.reset(.enhanceYourCalm)
        asked[1].stream?.answer(200, "ok")
        streams.carry()
        #expect(first.end == .reset(code: 11))
        #expect(second.text == "ok")
        #expect(
            streams.book.records.map(\.words) == [
                "failed - sent=0 received=0 net.reset", "allowed 200 sent=0 received=2",
            ])
        streams.book.end(records: 2)
    }

    @Test("a load that the client cancels is canceled at the origin")
    func clientReset() throws {
        let streams = try StreamBook()
        let log = StreamLog()
        let stream = try #require(streams.app.machine.open(.plain("/1"), handler: log))
        streams.carry()
        stream.reset(.cancel)
        streams.carry()
        #expect(streams.origin?.requests.first?.end == .reset(code: 8))
        #expect(streams.book.records.map(\.words) == ["failed - sent=0 received=0 client.gone"])
        streams.book.end(records: 1)
    }

    @Test("after GOAWAY, unprocessed loads are sent again over a new connection")
    func goAway() throws {
        let streams = try StreamBook()
        let first = try streams.ask(.plain("/1"))
        let origin = try #require(streams.origin)
        origin.machine.shutDown(.noError)
        streams.carry()
        let second = try streams.ask(.plain("/2"))
        try streams.connected()
        streams.origin?.requests.first?.stream?.answer(200, "new")
        origin.requests.first?.stream?.answer(200, "old")
        streams.carry()
        #expect(first.text == "old" && second.text == "new")
        streams.book.end(records: 2)
    }

    @Test("a lost origin connection is replaced for repeatable loads, and other loads get 502")
    func lostLink() throws {
        let streams = try StreamBook()
        try streams.ask(.plain("/0"))
        streams.origin?.requests[0].stream?.answer(200, "ok")
        streams.carry()
        let again = try streams.ask(.plain("/1"))
        let not = try streams.ask(.plain("/2", method: .post))
        streams.book.originEnded(reset: true)
        streams.carry()
        #expect(not.status == 502)
        try streams.connected()
        streams.origin?.requests.first?.stream?.answer(200, "ok")
        streams.carry()
        #expect(again.text == "ok")
        streams.book.end(records: 3)
    }

    @Test("an origin that turned bad is refused with a page on every waiting stream")
    func turnedBad() throws {
        let streams = try StreamBook()
        streams.book.originEnded()
        let first = try streams.ask(.plain("/1"))
        let second = try streams.ask(.plain("/2", fields: [("accept", "application/json")]))
        let link = try streams.book.connected()
        streams.book.serve(link, as: try OriginPeer(.untrusted("good.test")))
        streams.carry()
        #expect(first.status == 403 && first.text.contains("trust."))
        #expect(second.status == 403 && second.text.hasPrefix("{\"status\":403"))
        #expect(streams.book.records.map(\.verdict) == [.blocked, .blocked])
        streams.book.end(records: 2)
    }

    @Test("draining finishes streams in flight and accepts no others")
    func draining() throws {
        let streams = try StreamBook()
        let log = try streams.ask(.plain("/1"))
        streams.book.tell(.draining, as: "draining")
        streams.carry()
        #expect(streams.app.leaving == 0)
        streams.origin?.requests.first?.stream?.answer(200, "ok")
        streams.carry()
        #expect(log.text == "ok")
        #expect(streams.book.session.isClosed)
        streams.book.end(records: 1)
    }

    @Test("a client that breaks the protocol gets GOAWAY, and its loads are recorded")
    func brokenClient() throws {
        let streams = try StreamBook()
        try streams.ask(.plain("/1"))
        // A DATA frame on stream 0. Source: RFC 9113 section 6.1.
        streams.book.appSends("\u{0}\u{0}\u{1}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}x")
        #expect(streams.book.records.map(\.words) == ["failed - sent=0 received=0 http.malformed"])
        streams.carry()
        #expect(streams.app.leaving == 1)
        streams.book.end(records: 1)
    }
}
