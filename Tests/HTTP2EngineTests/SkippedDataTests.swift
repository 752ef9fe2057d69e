import HTTP2Engine
import HTTPWire
import Testing

/// DATA for streams that were reset: the peer may not know of the reset, or may ignore it.
@Suite("DATA on closed streams")
struct SkippedDataTests {
    private static let window = 262_144
    private static let piece = [UInt8](repeating: 7, count: 16_384)

    /// DATA that fills a stream's window.
    private static func filled(_ id: UInt32) -> [UInt8] {
        (0..<window / piece.count).flatMap { _ in Frames.data(id, piece) }
    }

    /// Opens streams whose bodies are still to come.
    private func open(_ ids: [UInt32], on machine: HTTP2Machine) {
        for id in ids { give(Frames.headers(id, Frames.get, ends: false), to: machine) }
    }

    private func numbers(_ count: UInt32, from first: UInt32 = 1) -> [UInt32] { (0..<count).map { first + 2 * $0 } }

    /// Sends on a stream until the connection fails, at most `limit` bytes; returns the number of bytes sent.
    private func flood(_ id: UInt32, _ machine: HTTP2Machine, upTo limit: Int = 64 << 20) -> Int {
        var sent = 0
        let frame = Frames.data(id, Self.piece)
        while sent < limit, machine.state == .alive || machine.state == .goingAway {
            give(frame, to: machine)
            sent += Self.piece.count
            _ = written(machine)
        }
        return sent
    }

    @Test("a client that sends endlessly after a reset is cut off")
    func endless() throws {
        let (machine, ear) = try gate()
        open([1, 3], on: machine)
        ear.streams[1]?.reset(.cancel)
        _ = written(machine)
        let sent = flood(1, machine)
        #expect(machine.state == .failed(.flood(.skippedData)))
        #expect(ear.ends[3] == .lost)
        // The windows of a connection and two streams.
        #expect((1 << 20)...(2 << 20) ~= sent, "\(sent)")
    }

    @Test("an origin that sends endlessly after a reset is cut off")
    func origin() throws {
        let (machine, ear) = try asking(1)
        give(Frames.headers(1, [(":status", "200")], ends: false), to: machine)
        let stream = try #require(machine.open(.plain, handler: ear))
        _ = written(machine)
        stream.reset(.cancel)
        _ = written(machine)
        #expect(flood(3, machine) < 2 << 20)
        #expect(machine.state == .failed(.flood(.skippedData)) && ear.ends[1] == .lost)
    }

    /// A machine whose peer has opened or answered stream 1 and then reset it.
    private func resetByPeer(_ role: HTTP2Role) throws -> (HTTP2Machine, EventLog) {
        let (machine, ear) = role == .client ? try gate() : try asking(1)
        let head = role == .client ? Frames.get : [(":status", "200")]
        give(Frames.headers(1, head, ends: false) + Frames.reset(1), to: machine)
        _ = written(machine)
        return (machine, ear)
    }

    @Test(
        "a peer that sends endlessly after its own reset, and reads nothing, is cut off",
        arguments: [HTTP2Role.client, .origin])
    func afterOwnReset(role: HTTP2Role) throws {
        let (machine, _) = try resetByPeer(role)
        let frame = Frames.data(1, [7])
        var sent = 0
        while sent < 2_000, machine.state == .alive {
            give(frame, to: machine)
            sent += 1
        }
        #expect(machine.state == .failed(.flood(.resets)))
        #expect(199...201 ~= sent, "\(sent)")
    }

    @Test("a slow sender gains no credit from the gate's resets", arguments: [HTTP2Role.client, .origin])
    func slowAfterOwnReset(role: HTTP2Role) throws {
        let (machine, _) = try resetByPeer(role)
        let frame = Frames.data(1, Self.piece)
        var sent = 0
        while sent < 40 << 20, machine.state == .alive {
            machine.ticks += 1_000_000
            give(frame, to: machine)
            sent += Self.piece.count
            _ = written(machine)
        }
        #expect(machine.state == .failed(.flood(.skippedData)))
        #expect((1 << 20)...(2 << 20) ~= sent, "\(sent)")
    }

    @Test("the number of resets that wait for a peer that does not read is limited")
    func unreadAfterOwnReset() throws {
        let (machine, _) = try resetByPeer(.origin)
        for _ in 0..<5_000 {
            machine.ticks += 1_000_000
            give(Frames.data(1, [7]), to: machine)
        }
        #expect(machine.state == .alive)
        // A thousand, and the resets for one DATA frame.
        #expect(Frames.parse(written(machine)).count { $0.type == 3 } < 2_500)
        // A peer that reads again gets resets again.
        give(Frames.data(1, [7]), to: machine)
        #expect(Frames.resets(in: written(machine)) == [1: 5])
    }

    @Test("an origin may send a few more frames after it reset a stream, and other streams continue")
    func fewAfterOwnReset() throws {
        let (machine, ear) = try asking(2)
        for id: UInt32 in [1, 3] { give(Frames.headers(id, [(":status", "200")], ends: false), to: machine) }
        give(Frames.reset(1) + Self.filled(1), to: machine)
        give(Frames.data(3, [1, 2, 3], ends: true), to: machine)
        #expect(machine.state == .alive && ear.ends[3] == .done)
    }

    @Test("padding counts as data")
    func padding() throws {
        let (machine, ear) = try gate()
        open([1, 3], on: machine)
        ear.streams[1]?.reset(.cancel)
        _ = written(machine)
        let padded = Frames.frame(0, 8, 1, [255] + [UInt8](repeating: 0, count: 16_383))
        for _ in 0..<1_100 where machine.state == .alive {
            give(padded, to: machine)
            _ = written(machine)
        }
        #expect(machine.state == .failed(.flood(.skippedData)))
    }

    @Test("a client that fills its windows before it reads the resets may continue, round after round")
    func honest() throws {
        let (machine, ear) = try gate()
        for round: UInt32 in 0..<3 {
            let ids = numbers(100, from: round * 200 + 1)
            open(ids, on: machine)
            for id in ids { ear.streams[Int32(id)]?.reset(.cancel) }
            _ = written(machine)
            for id in ids {
                give(Self.filled(id), to: machine)
                _ = written(machine)
            }
            #expect(machine.state == .alive)
        }
        give(Frames.headers(601, Frames.get), to: machine)
        #expect(ear.requests[601] != nil)
    }

    @Test("a client that does not read the resets yet may fill its windows")
    func unwritten() throws {
        let (machine, ear) = try gate()
        let ids = numbers(60)
        open(ids, on: machine)
        for id in ids { ear.streams[Int32(id)]?.reset(.cancel) }
        for id in ids { give(Self.filled(id), to: machine) }
        #expect(machine.state == .alive)
        #expect(Frames.resets(in: written(machine)).count == 60 && machine.state == .alive)
    }

    @Test("a client may open all its streams before it reads a GOAWAY, but must stop afterwards")
    func afterGoAway() throws {
        let (machine, ear) = try gate()
        open([1], on: machine)
        machine.shutDown(.noError)
        _ = written(machine)
        let ids = numbers(99, from: 3)
        open(ids, on: machine)
        for id in ids {
            give(Self.filled(id), to: machine)
            _ = written(machine)
        }
        #expect(machine.state == .goingAway && ear.requests.count == 1)
        #expect(flood(3, machine) < 20 << 20)
        #expect(machine.state == .failed(.flood(.skippedData)))
    }

    @Test("a body that is read does not count, however long")
    func ordinary() throws {
        let (machine, ear) = try gate()
        open([1, 3], on: machine)
        #expect(flood(1, machine, upTo: 40 << 20) == 40 << 20)
        #expect(machine.state == .alive && ear.bodies[1]?.count == 40 << 20)
    }

    @Test("skipped frames do not load a response into memory for a client that reads nothing")
    func unread() throws {
        let (machine, ear) = try gate()
        give(Frames.settings([(4, 1 << 30)]) + Frames.windowUpdate(0, 1 << 30), to: machine)
        open([1], on: machine)
        give(Frames.headers(3, Frames.get), to: machine)
        ear.streams[1]?.reset(.cancel)
        _ = written(machine)
        ear.streams[3]?.answer(ResponseHead(status: 200, reason: "", framing: .chunked), endsStream: false)
        ear.streams[3]?.send([UInt8](repeating: 1, count: 4 << 20))
        for _ in 0..<100 { give(Frames.data(1, [1]), to: machine) }
        #expect(ear.drainedBytes[3] ?? 0 <= 32 << 10)
        #expect(machine.state == .alive)
        // All of it is available when the client reads again.
        ear.streams[3]?.finish()
        let body = Frames.parse(written(machine)).filter { $0.type == 0 }.reduce(0) { $0 + $1.payload.count }
        #expect(body == 4 << 20 && ear.ends[3] == .done)
    }
}

extension HTTP2Request {
    fileprivate static var plain: HTTP2Request {
        HTTP2Request(
            head: RequestHead(method: .get, target: .path("/"), fields: fields([("Host", "a.test")]), framing: .none),
            scheme: "https", endsStream: true)
    }
}
