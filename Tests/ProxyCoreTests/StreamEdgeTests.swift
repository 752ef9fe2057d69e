import ATSPolicy
import Bytes
import HTTP2Engine
import HTTPWire
import ProxyCore
import Records
import Seeded
import TLSEngine
import Testing

@Suite("HTTP/2 edge cases")
struct StreamEdgeTests {
    private static let socket = HTTP2Request.plain(
        "/chat", method: .connect, fields: [("sec-websocket-version", "13")], endsStream: false,
        protocolName: "websocket")

    @Test("a WebSocket over HTTP/2 works if the origin accepts it, and is recorded as one")
    func extendedConnect() throws {
        let streams = try StreamBook()
        streams.origin?.machine.allowConnectProtocol()
        streams.carry()
        #expect(streams.app.machine.peerAllowsConnectProtocol)
        let log = StreamLog(Self.socket)
        let stream = try #require(streams.app.machine.open(Self.socket, handler: log))
        stream.send("ping")
        streams.carry()
        let asked = try #require(streams.origin?.requests.first)
        #expect(asked.request?.protocolName == "websocket" && asked.text == "ping")
        asked.stream?.answer(ResponseHead(status: 200, reason: "", framing: .chunked), endsStream: false)
        asked.stream?.send("pong")
        streams.carry()
        #expect(log.status == 200 && log.text == "pong" && !log.hasEnded)
        stream.finish(trailers: nil)
        asked.stream?.finish(trailers: nil)
        streams.carry()
        #expect(streams.book.records.map(\.words) == ["allowed 200 sent=4 received=4"])
        #expect(streams.book.records.first?.load.wireProtocol == .websocket)
        streams.book.end(records: 1)
    }

    @Test(
        "another protocol over HTTP/2 is relayed or refused by option, and its finding contains its name",
        arguments: ["connect-udp", "connect-ip", "foo", "WebSocket"], OtherUpgrades.allCases)
    func otherProtocol(name: String, others: OtherUpgrades) throws {
        let loop = try World.loop(World.law(.strict) { $0.otherUpgrades = others })
        let streams = try StreamBook(loop: loop)
        streams.origin?.machine.allowConnectProtocol()
        streams.carry()
        let request = HTTP2Request.plain("/x", method: .connect, endsStream: false, protocolName: name)
        let log = StreamLog(request)
        let stream = try #require(streams.app.machine.open(request, handler: log))
        stream.send("ping")
        streams.carry()
        let asked = streams.origin?.requests.first
        #expect((asked != nil) == (others == .relay))
        asked?.stream?.answer(200, "pong")
        streams.carry()
        #expect(log.status == (others == .relay ? 200 : 501))
        let words = others == .relay ? "allowed 200 sent=4 received=4" : "blocked 501 sent=0 received=0 page"
        streams.book.end(records: 1)
        #expect(streams.book.records.map(\.words) == [words + " client.other-traffic"])
        #expect(streams.book.records.first?.load.wireProtocol == .http2)
        #expect(streams.book.records.first?.diagnosis?.findings.first?.observed.contains(name) == true)
    }

    @Test("extended CONNECT is not announced to the client if the origin does not support it")
    func noExtendedConnect() throws {
        let streams = try StreamBook()
        #expect(!streams.app.machine.peerAllowsConnectProtocol)
        streams.book.end(records: 1)
    }

    @Test("if the next connection lacks extended CONNECT, only the WebSocket is reset and other loads continue")
    func brokenPromise() throws {
        let streams = try StreamBook()
        streams.origin?.machine.allowConnectProtocol()
        streams.carry()
        streams.book.originEnded()
        let log = StreamLog(Self.socket)
        _ = try #require(streams.app.machine.open(Self.socket, handler: log))
        let other = try streams.ask(.plain("/other"))
        try streams.connected()
        streams.origin?.requests.first?.stream?.answer(200, "fine")
        streams.carry()
        #expect(other.text == "fine")
        #expect(log.end == .reset(code: HTTP2ErrorCode.http11Required.rawValue))
        streams.book.end(records: 2)
    }

    @Test("a CONNECT inside a tunnel is refused with an explanation")
    func tunnelInTunnel() throws {
        let streams = try StreamBook()
        let request = HTTP2Request(
            head: RequestHead(method: .connect, target: .authority(host: "other.test", port: 443), framing: .chunked),
            scheme: "", endsStream: false)
        let log = try streams.ask(request)
        #expect(log.status == 400 && log.text.contains("A tunnel in a tunnel"))
        #expect(streams.origin?.requests.isEmpty == true)
        streams.book.clientLost()
        #expect(streams.book.records.map(\.words) == ["allowed - sent=0 received=0"])
        #expect(streams.book.records.first?.load.wireProtocol == .tunnel)
        streams.book.end(records: 1)
    }

    @Test(
        "each load of cleartext HTTP/2 is judged as http, no matter which side sends first", arguments: [true, false],
        [true, false])
    func priorKnowledge(isPermitted: Bool, originIsFirst: Bool) throws {
        let book = try Playbook(isPermitted ? .openWorld : .strict)
        book.client("CONNECT a.test:80 HTTP/1.1\r\nHost: a.test:80\r\n\r\n")
        try book.connected()
        _ = book.clientReads()
        let app = try StreamPeer(.origin)
        let origin = try StreamPeer(.client)
        let log = StreamLog()
        if originIsFirst {
            let settings = origin.exchange([])
            book.origin(Array(settings.prefix(4)))
            book.origin(Array(settings.dropFirst(4)))
        }
        _ = try #require(app.machine.open(.plain("/1", host: "a.test", scheme: "http"), handler: log))
        // The preface arrives in two pieces.
        let hello = app.exchange([])
        book.client(Array(hello.prefix(10)))
        book.client(Array(hello.dropFirst(10)))
        for _ in 0..<4 {
            let up = book.sent(to: book.links[0])
            if isPermitted {
                let down = origin.exchange(up)
                if !down.isEmpty { book.origin(down) }
                origin.requests.first.map { if !$0.hasEnded || $0.end == nil { $0.stream?.answer(200, "ok") } }
            } else {
                #expect(up.isEmpty)
            }
            let said = app.exchange(book.clientOutbox.drained)
            if !said.isEmpty { book.client(said) }
        }
        if isPermitted {
            #expect(origin.requests.map { $0.request?.scheme } == ["http"])
            #expect(log.text == "ok")
            #expect(book.records.map(\.words) == ["allowed 200 sent=0 received=2"])
        } else {
            #expect(log.status == 403 && log.text.contains("-1022"))
            #expect(book.records.map(\.words) == ["blocked 403 sent=0 received=0 page ats.cleartext-load"])
        }
        #expect(book.records.first?.load.target.origin == "http://a.test")
        #expect(book.records.first?.load.wireProtocol == .http2)
        book.end(records: 1)
    }

    @Test("audit mode allows loads and records what a device would do")
    func audit() throws {
        let book = try Playbook(.strict) { $0.mode = .audit }
        let link = try book.openTunnel("bad.test")
        book.serve(link, as: try OriginPeer(.untrusted("bad.test")))
        try book.appStarts("bad.test", alpn: ["h2", "http/1.1"])
        #expect(book.app?.machine.negotiatedALPN == "http/1.1")
        book.appSends("GET / HTTP/1.1\r\nHost: bad.test\r\n\r\n")
        book.peerSends("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        #expect(book.records.first?.verdict == .wouldBlock)
        book.end(records: 1)
    }

    @Test("a load without a response in time fails alone, and the timer is armed for the next one")
    func answerDeadline() throws {
        let streams = try StreamBook()
        let first = try streams.ask(.plain("/1"))
        #expect(streams.book.armed == .answer)
        streams.book.moment.ticks += 60_000_000
        let second = try streams.ask(.plain("/2"))
        streams.book.moment.ticks += 60_000_000
        streams.book.pass(.answer)
        streams.carry()
        #expect(first.status == 504 && second.status == nil)
        #expect(streams.book.armed == .answer)
        #expect(streams.origin?.requests.first?.end == .reset(code: 8))
        streams.book.moment.ticks += 60_000_000
        streams.book.pass(.answer)
        streams.carry()
        #expect(second.status == 504)
        #expect(streams.book.armed == .rest)
        streams.book.end(records: 2)
    }

    @Test("a load that timed out while it waited for a connection is not sent on a later one")
    func waitingDeadline() throws {
        let streams = try StreamBook()
        streams.book.originEnded()
        let late = try streams.ask(.plain("/1"))
        streams.book.moment.ticks += 400_000_000
        streams.book.pass(.answer)
        streams.carry()
        #expect(late.status == 504)
        try streams.connected()
        #expect(streams.origin?.requests.isEmpty == true)
        streams.book.end(records: 1)
    }

    @Test("an idle connection gets GOAWAY before it is closed")
    func idle() throws {
        let streams = try StreamBook()
        #expect(streams.book.armed == .rest)
        streams.book.pass(.rest)
        #expect(streams.book.armed == .idle)
        streams.book.pass(.idle)
        streams.carry()
        #expect(streams.app.leaving == 0)
        streams.book.end(records: 1)
    }

    @Test("a stopping gate records streams in flight")
    func stopping() throws {
        let streams = try StreamBook()
        try streams.ask(.plain("/1"))
        streams.book.tell(.stopping, as: "stopping")
        #expect(streams.book.records.map(\.words) == ["failed - sent=0 received=0 gate.stopped"])
        streams.book.end(records: 1)
    }

    @Test("loads beyond the origin's stream limit wait for a free stream")
    func fullOrigin() throws {
        var limits = HTTP2Limits()
        limits.concurrentStreams = 2
        let streams = try StreamBook(limits: limits)
        let logs = try (0..<5).map { try streams.ask(.plain("/\($0)")) }
        #expect(streams.origin?.requests.count == 2)
        for index in 0..<5 {
            streams.origin?.requests[index].stream?.answer(200, "\(index)")
            streams.carry()
        }
        #expect(logs.map(\.text) == ["0", "1", "2", "3", "4"])
        #expect(streams.book.links.count == 1)
        streams.book.end(records: 5)
    }

    @Test("a response before the end of an upload stops only the upload")
    func earlyAnswer() throws {
        let streams = try StreamBook()
        let log = StreamLog()
        let stream = try #require(
            streams.app.machine.open(.plain("/up", method: .post, endsStream: false), handler: log))
        stream.send("begin")
        streams.carry()
        streams.origin?.requests.first?.stream?.answer(413, "too big")
        streams.carry()
        streams.origin?.requests.first?.stream?.reset(.noError)
        streams.carry()
        #expect(log.status == 413 && log.text == "too big")
        #expect(log.end == .reset(code: 0))
        #expect(streams.book.records.map(\.words) == ["allowed 413 sent=5 received=7"])
        streams.book.end(records: 1)
    }

    @Test("random bytes in the middle of HTTP/2 end the session cleanly", arguments: UInt64(0)..<60)
    func noise(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        let streams = try StreamBook()
        for index in 0..<3 { try streams.ask(.plain("/\(index)")) }
        streams.origin?.requests.first?.stream?.answer(200, "one")
        for _ in 0..<20 where !streams.book.session.isClosed {
            let noise = (0..<Int.random(in: 1...40, using: &dice)).map { _ in
                // Mostly small numbers, so that some frame headers are valid.
                UInt8(truncatingIfNeeded: dice.next() % (Bool.random(using: &dice) ? 12 : 256))
            }
            if Bool.random(using: &dice) {
                if let app = streams.book.app?.machine, app.state == .established {
                    noise.withUnsafeBytes { app.send($0) }
                }
            } else if let link = streams.book.links.last, let peer = streams.book.peers[ObjectIdentifier(link)],
                peer.machine.state == .established
            {
                noise.withUnsafeBytes { peer.machine.send($0) }
            }
            streams.carry()
        }
        streams.book.end(records: 3)
    }
}
