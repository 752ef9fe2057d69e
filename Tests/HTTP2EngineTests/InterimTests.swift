import HTTP2Engine
import HTTPWire
import Testing

@Suite("interim responses and queued heads")
struct InterimTests {
    private static let interim = Frames.headers(1, [(":status", "103"), ("link", "</a>")], ends: false)

    @Test("the number of interim responses to one request is limited", arguments: [64, 65])
    func count(heads: Int) throws {
        let (machine, ear) = try asking(2)
        for _ in 0..<heads { give(Self.interim, to: machine) }
        give(Frames.headers(1, [(":status", "204")]) + Frames.headers(3, [(":status", "204")]), to: machine)
        let resets = Frames.resets(in: written(machine))
        #expect(resets == (heads > 64 ? [1: 11] : [:]) && machine.state == .alive)
        #expect(ear.ends == [1: heads > 64 ? .reset(code: 11) : .done, 3: .done])
        #expect(ear.lines.filter { $0.hasPrefix("1 103") }.count == 64)
    }

    @Test("the total size of interim responses is limited by their decoded size")
    func bytes() throws {
        let (machine, ear) = try asking(1)
        // One field of 4,000 bytes goes into the table; each later head references it by one byte.
        let value: [UInt8] = [127, 0xA1, 0x1E] + [UInt8](repeating: 0x61, count: 4_000)
        let status: [UInt8] = [0x08, 3] + Array("103".utf8)
        give(Frames.frame(1, 4, 1, status + [0x40, 1, 0x78] + value), to: machine)
        for _ in 0..<60 { give(Frames.frame(1, 4, 1, status + [0xBE]), to: machine) }
        #expect(Frames.resets(in: written(machine)) == [1: 11])
        #expect(ear.ends == [1: .reset(code: 11)] && ear.lines.filter { $0.hasPrefix("1 103") }.count == 16)
    }

    @Test("HEADERS beyond the number of requests are a flood; one response and its trailers are not")
    func flood() throws {
        var limits = HTTP2Limits()
        limits.originHeads = .init(burst: 10, perSecond: 0)
        let (machine, ear) = try asking(50, limits: limits)
        for index in 0..<50 {
            let id = UInt32(index * 2 + 1)
            give(Frames.headers(id, [(":status", "200")], ends: false) + Frames.headers(id, [("a", "b")]), to: machine)
        }
        #expect(machine.state == .alive && ear.ends.count == 50 && ear.trailers.count == 50)
        let (hostile, _) = try asking(1, limits: limits)
        for _ in 0..<12 { give(Self.interim, to: hostile) }
        #expect(hostile.state == .alive)
        give(Self.interim, to: hostile)
        #expect(hostile.state == .failed(.flood(.heads)))
        #expect(Frames.goAwayCode(in: written(hostile)) == 11)
    }

    @Test("unused credit of responses cannot be accumulated")
    func savings() throws {
        var limits = HTTP2Limits()
        limits.originHeads = .init(burst: 5, perSecond: 0)
        let (machine, ear) = try asking(0, limits: limits)
        for index in 0..<100 {
            let head = RequestHead(method: .get, target: .path("/"), fields: fields([("Host", "a.test")]))
            _ = machine.open(HTTP2Request(head: head, scheme: "https", endsStream: true), handler: ear)
            _ = written(machine)
            if index < 99 { give(Frames.headers(UInt32(index * 2 + 1), [(":status", "204")]), to: machine) }
        }
        for _ in 0..<7 { give(Frames.headers(199, [(":status", "103")], ends: false), to: machine) }
        #expect(machine.state == .alive)
        give(Frames.headers(199, [(":status", "103")], ends: false), to: machine)
        #expect(machine.state == .failed(.flood(.heads)))
    }

    @Test("heads that wait for a client count as its waiting bytes until they are in frames")
    func queuedHeads() throws {
        let (machine, ear) = try gate()
        give(Frames.headers(1, Frames.get, ends: false), to: machine)
        let stream = try #require(ear.streams[1])
        let large = fields([("x", String(repeating: "v", count: 10_000))])
        for _ in 0..<3 { stream.answer(ResponseHead(status: 103, reason: "", fields: large), endsStream: false) }
        #expect(stream.queuedBytes > 30_000)
        stream.answer(ResponseHead(status: 200, reason: "", framing: .chunked), endsStream: false)
        stream.send([1, 2, 3])
        var left: [Int] = []
        ear.onDrained = { left.append($0.queuedBytes) }
        _ = written(machine)
        #expect(stream.queuedBytes == 0 && ear.drainedBytes[1] == 3)
        #expect(left.count == 5 && left.last == 0 && left == left.sorted(by: >=))
    }
}
