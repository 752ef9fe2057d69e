import HTTP2Engine
import HTTPWire
import Testing

@Suite("ends of connections and streams")
struct EndTests {
    @Test("the client's GOAWAY ends a connection without streams")
    func idleGoAway() throws {
        let (machine, ear) = try gate()
        give(Frames.goAway(last: 0, 0), to: machine)
        #expect(machine.state == .done && machine.isFinished && ear.goAwayCode == 0)
        give(Frames.ping() + Frames.headers(1, Frames.get), to: machine)
        #expect(written(machine).isEmpty && ear.requests.isEmpty && machine.state == .done)
    }

    @Test("with a request in flight the client's GOAWAY ends the connection after the response")
    func busyGoAway() throws {
        let (machine, ear) = try gate()
        give(Frames.headers(1, Frames.get) + Frames.goAway(last: 0, 0), to: machine)
        #expect(machine.state == .goingAway && !machine.isFinished)
        ear.streams[1]?.answer(ResponseHead(status: 204, reason: "", framing: .none), endsStream: true)
        #expect(machine.state == .goingAway)
        #expect(Frames.parse(written(machine)).contains { $0.type == 1 })
        #expect(machine.state == .done && ear.ends == [1: .done])
    }

    @Test("a sent GOAWAY ends the connection too; after an origin's GOAWAY it is finished without streams")
    func otherGoAways() throws {
        let (machine, ear) = try asking(1)
        give(Frames.goAway(last: 1, 0), to: machine)
        #expect(machine.state == .goingAway && !machine.isFinished)
        give(Frames.headers(1, [(":status", "204")]), to: machine)
        #expect(machine.state == .goingAway && machine.isFinished && ear.ends == [1: .done])
        let (server, _) = try gate()
        server.shutDown(.noError)
        #expect(server.state == .goingAway)
        #expect(Frames.goAwayCode(in: written(server)) == 0)
        #expect(server.state == .done)
    }

    @Test("frames that crossed a sent reset are not the client's fault")
    func crossedReset() throws {
        let (machine, ear) = try gate()
        give(Frames.headers(1, Frames.get, ends: false), to: machine)
        ear.streams[1]?.reset(.cancel)
        _ = written(machine)
        give(Frames.data(1, [1]) + Frames.windowUpdate(1) + Frames.headers(1, [("a", "b")]), to: machine)
        #expect(Frames.resets(in: written(machine)).isEmpty && machine.state == .alive)
        give(Frames.headers(3, Frames.get), to: machine)
        #expect(ear.requests[3] != nil)
    }

    @Test("after the client's own reset, each further frame gets a reset and counts")
    func afterReset() throws {
        var limits = HTTP2Limits()
        limits.resets = .init(burst: 3, perSecond: 0)
        let (machine, _) = try gate(limits)
        give(Frames.headers(1, Frames.get, ends: false) + Frames.reset(1) + Frames.data(1, [1]), to: machine)
        #expect(Frames.resets(in: written(machine)) == [1: 5] && machine.state == .alive)
        give(Frames.headers(1, Frames.get), to: machine)
        #expect(Frames.resets(in: written(machine)) == [1: 5] && machine.state == .alive)
        give(Frames.data(1, [1]), to: machine)
        #expect(machine.state == .failed(.flood(.resets)))
    }

    @Test("WINDOW_UPDATE, PRIORITY and RST_STREAM on a closed stream are not an error")
    func lateFrames() throws {
        let (machine, ear) = try gate()
        ear.onEnd = { $0.answer(ResponseHead(status: 204, reason: "", framing: .none), endsStream: true) }
        give(Frames.headers(1, Frames.get), to: machine)
        _ = written(machine)
        #expect(ear.ends == [1: .done])
        give(Frames.windowUpdate(1) + Frames.frame(2, 0, 1, [0, 0, 0, 0, 1]) + Frames.reset(1), to: machine)
        #expect(written(machine).isEmpty && machine.state == .alive)
    }

    @Test("a skipped stream number cannot be opened later", arguments: [3, 7, 9] as [UInt32])
    func smallerNumbers(late: UInt32) throws {
        let (machine, ear) = try gate()
        for id: UInt32 in [1, 5, 11] { give(Frames.headers(id, Frames.get), to: machine) }
        give(Frames.headers(late, Frames.get), to: machine)
        #expect(machine.state == .failed(.violation(code: 1, library: 0)) && ear.requests[Int32(late)] == nil)
    }

    @Test("an origin that sends after the end of its response fails its connection")
    func originAfterEnd() throws {
        let (machine, _) = try asking(2)
        give(Frames.headers(1, [(":status", "204")]) + Frames.data(1, [1]), to: machine)
        #expect(machine.state == .failed(.violation(code: 5, library: 0)))
    }

    @Test("after thousands of streams only the first ones are forgotten")
    func longLife() throws {
        let (machine, ear) = try gate()
        ear.onEnd = { $0.answer(ResponseHead(status: 204, reason: "", framing: .none), endsStream: true) }
        for number: UInt32 in 0..<2_000 {
            give(Frames.headers(number * 2 + 1, Frames.get), to: machine)
            _ = written(machine)
        }
        #expect(ear.ends.count == 2_000 && machine.state == .alive)
        give(Frames.data(3_001, [1]), to: machine)
        #expect(machine.state == .alive)
        give(Frames.data(3_999, [1]), to: machine)
        #expect(machine.state == .failed(.violation(code: 5, library: 0)))
    }
}
