import Bytes
import HTTP2Engine
import HTTPWire
import Testing

@Suite("flow control and ends")
struct FlowTests {
    private static let big = [UInt8](repeating: 7, count: 400_000)

    private func pair() throws -> Pair {
        let pair = try Pair()
        pair.serverEar.onRequest = { request, stream in
            guard request.endsStream else { return }
            stream.answer(ResponseHead(status: 200, reason: "", framing: .chunked), endsStream: false)
            stream.send(Self.big)
            stream.finish()
        }
        return pair
    }

    @Test("a reader that does not consume stops only its own sender at the window")
    func backPressure() throws {
        let pair = try pair()
        pair.appEar.consumes = false
        pair.request()
        pair.carry()
        #expect(pair.appEar.bodies[1]?.count == 65_536)
        #expect(pair.serverEar.streams[1]?.queuedBytes == 400_000 - 65_536)
        pair.appEar.consumes = true
        pair.request()
        pair.carry()
        #expect(pair.appEar.bodies[3]?.count == 400_000 && pair.appEar.ends[3] == .done)
        #expect(pair.appEar.bodies[1]?.count == 65_536)
        pair.serverEar.streams[1].map { #expect(!$0.isClosed) }
        let waiting = pair.app
        #expect(waiting.activeStreams == 1)
    }

    @Test("consumed bytes are credited back, and no byte is lost")
    func consuming() throws {
        let pair = try pair()
        pair.appEar.consumes = false
        let stream = try #require(pair.request())
        pair.carry()
        var given = 0
        while given < 400_000 {
            let seen = pair.appEar.bodies[1]?.count ?? 0
            guard seen > given else { break }
            stream.consume(seen - given)
            given = seen
            pair.carry()
        }
        #expect(pair.appEar.bodies[1] == Self.big)
        #expect(pair.serverEar.drainedBytes[1] == 400_000)
        #expect(pair.appEar.ends[1] == .done && pair.serverEar.ends[1] == .done)
    }

    @Test("writing stops soon after its limit, after a whole frame")
    func writeLimit() throws {
        let pair = try pair()
        pair.request()
        give(written(pair.app), to: pair.server)
        let queue = ByteQueue()
        pair.server.write(to: queue, upTo: 20_000)
        #expect(queue.count >= 20_000 && queue.count <= 20_000 + 16_384 + 9)
        let frames = Frames.parse(Array(queue.bytes))
        #expect(frames.reduce(0) { $0 + 9 + $1.payload.count } == queue.count)
        #expect(pair.server.wantsToWrite)
    }

    @Test("a reset reaches the other side with its code, and later bytes are dropped", arguments: [true, false])
    func resets(byApp: Bool) throws {
        let pair = try Pair()
        let stream = try #require(pair.request(.post, "/", framing: .fixed(1_000_000)))
        stream.send(Self.big)
        pair.carry()
        let ours = try #require(byApp ? stream : pair.serverEar.streams[1])
        ours.reset(.http11Required)
        ours.reset(.cancel)
        ours.send(Self.big)
        ours.finish()
        #expect(ours.queuedBytes == 0 && !ours.isClosed)
        pair.carry()
        #expect(pair.appEar.ends[1] == .reset(code: 13) && pair.serverEar.ends[1] == .reset(code: 13))
        #expect(stream.isClosed && stream.handler == nil)
        #expect(pair.app.activeStreams == 0 && pair.server.activeStreams == 0)
        pair.request()
        pair.carry()
        #expect(pair.serverEar.requests.count == 2)
    }

    @Test("a request that is reset before it was written is never sent")
    func unsentReset() throws {
        let pair = try Pair()
        let stream = try #require(pair.request())
        stream.reset(.cancel)
        pair.carry()
        #expect(pair.serverEar.requests.isEmpty)
        #expect(pair.appEar.ends[1] == .reset(code: 8))
        #expect(pair.app.activeStreams == 0)
    }

    @Test("REFUSED_STREAM marks the request as repeatable")
    func refusedByReset() throws {
        let pair = try Pair()
        pair.serverEar.onRequest = { _, stream in stream.reset(.refusedStream) }
        pair.request()
        pair.carry()
        #expect(pair.appEar.ends[1] == .refused)
    }

    @Test("a response that completes before its request is valid", arguments: [true, false])
    func earlyAnswer(atOnce: Bool) throws {
        let pair = try Pair()
        pair.serverEar.onRequest = { _, stream in
            stream.answer(ResponseHead(status: 413, reason: "", framing: .none), endsStream: true)
            if atOnce { stream.reset(.noError) }
        }
        pair.request(.post, "/", framing: .fixed(1_000_000))
        pair.carry()
        if !atOnce {
            pair.serverEar.streams[1]?.reset(.noError)
            pair.carry()
        }
        #expect(pair.appEar.answers[1]?.status == 413)
        #expect(pair.appEar.lines.contains("1 ended after 0"))
        #expect(pair.appEar.ends[1] == .reset(code: 0))
    }

    @Test("a GOAWAY refuses the streams above its last one and lets the others finish")
    func goAway() throws {
        let (machine, ear) = try asking(3)
        give(Frames.goAway(last: 1, 0xABCD), to: machine)
        #expect(ear.goAwayCode == 0xABCD)
        #expect(ear.ends == [3: .refused, 5: .refused])
        #expect(machine.state == .goingAway && !machine.canOpenStream && !machine.isFinished)
        give(Frames.headers(1, [(":status", "204")]), to: machine)
        #expect(ear.ends[1] == .done)
        _ = written(machine)
        #expect(machine.isFinished)
    }

    @Test("requests that were not written before a GOAWAY are refused")
    func unsentGoAway() throws {
        let (machine, ear) = try asking(1)
        let head = RequestHead(method: .get, target: .path("/"), fields: fields([("Host", "a.test")]))
        #expect(machine.open(HTTP2Request(head: head, scheme: "https", endsStream: true), handler: ear) != nil)
        give(Frames.goAway(last: 1, 0), to: machine)
        #expect(!Frames.parse(written(machine)).contains { $0.type == 1 })
        #expect(ear.ends == [3: .refused])
    }

    @Test("a graceful shutdown lets streams in flight finish and opens no new ones")
    func shutDown() throws {
        let pair = try Pair()
        let first = try #require(pair.request(.post, "/", framing: .fixed(3)))
        pair.carry()
        pair.server.shutDown(.noError)
        #expect(pair.request() != nil)
        pair.carry()
        #expect(pair.serverEar.requests.count == 1)
        #expect(pair.appEar.goAwayCode == 0 && pair.appEar.ends == [3: .refused])
        #expect(pair.server.state == .goingAway && pair.app.state == .goingAway && !pair.app.canOpenStream)
        first.send([1, 2, 3])
        first.finish()
        pair.serverEar.streams[1]?.answer(ResponseHead(status: 204, reason: "", framing: .none), endsStream: true)
        pair.carry()
        #expect(pair.appEar.ends[1] == .done && pair.serverEar.ends[1] == .done)
        #expect(pair.app.isFinished && pair.server.isFinished)
    }

    @Test("any other shutdown loses every stream immediately")
    func hardShutDown() throws {
        let pair = try Pair()
        pair.request(.post, "/", framing: .fixed(3))
        pair.carry()
        pair.server.shutDown(.inadequateSecurity)
        #expect(pair.serverEar.ends[1] == .lost)
        #expect(pair.server.state == .failed(.shutDown(.inadequateSecurity)))
        pair.carry()
        #expect(pair.appEar.goAwayCode == 12)
        #expect(pair.server.isFinished)
    }

    @Test("an abandoned machine is silent and releases its handlers and streams")
    func abandon() throws {
        weak var gone: HTTP2Machine?
        weak var goneStream: HTTP2Stream?
        do {
            let pair = try Pair()
            pair.serverEar.onRequest = { _, stream in goneStream = stream }
            pair.request(.post, "/", framing: .fixed(3))
            pair.carry()
            pair.serverEar.streams = [:]
            gone = pair.server
            let before = pair.serverEar.lines.count
            pair.server.abandon()
            give(Frames.ping(), to: pair.server)
            #expect(!pair.server.wantsToWrite && written(pair.server).isEmpty)
            #expect(pair.serverEar.lines.count == before && goneStream == nil)
        }
        #expect(gone == nil)
    }

    @Test("a stream may outlive its machine")
    func orphan() throws {
        var stream: HTTP2Stream?
        do { stream = try Pair().request(.post, "/", framing: .fixed(3)) }
        let orphan = try #require(stream)
        #expect(orphan.isClosed)
        orphan.send([1])
        orphan.finish()
        orphan.reset(.cancel)
        orphan.consume(1)
    }

    @Test("a head of 63 KiB passes in both directions; an unsendable one resets its stream")
    func largeHeads() throws {
        let pair = try Pair()
        let large = fields((0..<63).map { ("x-\($0)", String(repeating: "~", count: 990)) })
        let monster = fields((0..<200).map { ("x-\($0)", String(repeating: "~", count: 990)) })
        pair.serverEar.onRequest = { _, stream in
            let fields = stream.id == 1 ? large : monster
            stream.answer(ResponseHead(status: 200, reason: "", fields: fields, framing: .none), endsStream: true)
        }
        pair.request(.get, "/", [("Host", "a")] + (0..<63).map { ("x-\($0)", String(repeating: "~", count: 990)) })
        pair.carry()
        #expect(pair.serverEar.requests[1]?.head.fields.count == 65)
        #expect(pair.appEar.answers[1]?.fields.count == 64 && pair.appEar.ends[1] == .done)
        pair.request()
        pair.carry()
        #expect(pair.appEar.ends[3] == .reset(code: 2) && pair.serverEar.ends[3] == .reset(code: 2))
    }

    @Test("the drained callback may write and receive")
    func reentranceInDrained() throws {
        let pair = try pair()
        let queue = ByteQueue()
        pair.serverEar.onDrained = { _ in
            pair.server.write(to: queue, upTo: .max)
            give(Frames.ping(), to: pair.server)
        }
        pair.request()
        pair.carry()
        #expect(queue.isEmpty && pair.appEar.bodies[1] == Self.big && pair.appEar.ends[1] == .done)
        pair.serverEar.onDrained = nil
    }

    @Test("machines may be called from inside events", arguments: ["abandon", "shutDown", "receive", "write", "fail"])
    func reentrance(what: String) throws {
        let pair = try Pair()
        let queue = ByteQueue()
        pair.serverEar.onBody = { _, stream in
            switch what {
            case "abandon": pair.server.abandon()
            case "shutDown": pair.server.shutDown(.cancel)
            case "receive": give(Frames.headers(3, Frames.get), to: pair.server)
            case "write": pair.server.write(to: queue, upTo: .max)
            default: give(Frames.goAway(last: 2, 0), to: pair.server)
            }
            stream.reset(.cancel)
        }
        pair.request(.post, "/", framing: .fixed(40_000), body: Array(Self.big[..<40_000]))
        pair.carry()
        switch what {
        case "abandon": #expect(pair.server.state == .failed(.abandoned))
        case "shutDown": #expect(pair.server.state == .failed(.shutDown(.cancel)))
        case "receive": #expect(pair.serverEar.requests[3] != nil)
        case "write": #expect(queue.isEmpty && pair.appEar.ends[1] == .reset(code: 8))
        default: #expect(pair.server.state != .alive)
        }
        pair.serverEar.onBody = nil
    }
}
