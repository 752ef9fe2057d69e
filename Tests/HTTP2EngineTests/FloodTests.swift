import HTTP2Engine
import HTTPWire
import Testing

@Suite("floods")
struct FloodTests {
    /// A kind of frame that costs its sender little.
    struct Kind: Sendable, CustomTestStringConvertible {
        let flood: HTTP2Flood
        let limit: @Sendable (inout HTTP2Limits, HTTP2Limits.Rate) -> Void
        /// Returns the nth frame.
        let frame: @Sendable (UInt32) -> [UInt8]
        /// The number of such frames that the setup has already sent.
        var spent = 0
        var testDescription: String { "\(flood)" }
    }

    static let kinds = [
        Kind(flood: .pings, limit: { $0.pings = $1 }, frame: { _ in Frames.ping() }),
        Kind(flood: .settings, limit: { $0.settings = $1 }, frame: { _ in Frames.settings() }, spent: 2),
        Kind(flood: .emptyData, limit: { $0.emptyData = $1 }, frame: { _ in Frames.data(1, []) }),
        Kind(flood: .emptyData, limit: { $0.emptyData = $1 }, frame: { _ in Frames.frame(0, 8, 1, [2, 0, 0]) }),
        Kind(
            flood: .priorities, limit: { $0.priorities = $1 },
            frame: { Frames.frame(2, 0, $0 * 2 + 9, [0, 0, 0, 0, 9]) }),
        Kind(flood: .priorities, limit: { $0.priorities = $1 }, frame: { _ in Frames.frame(16, 0, 0, [0, 0, 0, 1]) }),
        Kind(flood: .windowUpdates, limit: { $0.windowUpdates = $1 }, frame: { _ in Frames.windowUpdate(0) }),
        Kind(flood: .windowUpdates, limit: { $0.windowUpdates = $1 }, frame: { _ in Frames.windowUpdate(1) }),
        Kind(flood: .otherFrames, limit: { $0.otherFrames = $1 }, frame: { _ in Frames.frame(0x42, 0, 0, [1]) }),
        Kind(flood: .otherFrames, limit: { $0.otherFrames = $1 }, frame: { _ in Frames.goAway(last: 0, 0) }),
        // Trailers that do not end their stream, which the first of them closes.
        Kind(
            flood: .heads, limit: { $0.otherFrames = $1 },
            frame: {
                ($0 == 0 ? Frames.headers(3, Frames.get, ends: false) : [])
                    + Frames.headers(3, [("a", "b")], ends: false)
            }),
        // Rapid reset, CVE-2023-44487.
        Kind(
            flood: .resets, limit: { $0.resets = $1 },
            frame: { Frames.headers($0 * 2 + 3, Frames.get) + Frames.reset($0 * 2 + 3) }),
        // The opposite direction, CVE-2025-8671: frames that make the gate reset streams.
        Kind(
            flood: .resets, limit: { $0.resets = $1 },
            frame: { Frames.headers($0 * 2 + 3, Frames.get) + Frames.windowUpdate($0 * 2 + 3, .max >> 1) }),
        Kind(flood: .resets, limit: { $0.resets = $1 }, frame: { Frames.headers($0 * 2 + 3, [("a", "b")]) }),
        Kind(flood: .resets, limit: { $0.resets = $1 }, frame: { Frames.headers($0 * 2 + 3, [("A", "b")]) }),
        Kind(
            flood: .resets, limit: { $0.resets = $1 },
            frame: { Frames.headers($0 * 2 + 3, Frames.get + [("host", "other")]) }),
        Kind(
            flood: .resets, limit: { $0.resets = $1 },
            frame: {
                Frames.headers($0 * 2 + 3, Frames.get + [("content-length", "1")], ends: false)
                    + Frames.data($0 * 2 + 3, [1, 2])
            }),
    ]

    @Test("the limit is allowed, one more ends the connection, and time restores credit", arguments: kinds)
    func atAndOver(_ kind: Kind) throws {
        var limits = HTTP2Limits()
        kind.limit(&limits, .init(burst: 5 + kind.spent, perSecond: 2))
        let (machine, ear) = try gate(limits)
        give(Frames.headers(1, Frames.get, ends: false), to: machine)
        var sent: UInt32 = 0
        func send() {
            give(kind.frame(sent), to: machine)
            sent += 1
            output += written(machine)
        }
        var output: [UInt8] = []
        for _ in 0..<5 { send() }
        #expect(!isFailed(machine), "\(machine.state) after \(sent)")
        machine.ticks = 1_000_000
        for _ in 0..<2 { send() }
        #expect(!isFailed(machine), "\(machine.state) after \(sent)")
        #expect(Frames.goAwayCode(in: output) == nil)
        send()
        send()
        #expect(machine.state == .failed(.flood(kind.flood)))
        #expect(Frames.goAwayCode(in: output) == 11)
        #expect(ear.ends[1] == .lost)
        #expect(machine.activeStreams == 0 && machine.isFinished)
    }

    private func isFailed(_ machine: HTTP2Machine) -> Bool {
        if case .failed = machine.state { true } else { false }
    }

    @Test("the number of CONTINUATION frames is limited", arguments: [8, 9], [true, false])
    func continuationFrames(count: Int, isIgnored: Bool) throws {
        let (machine, ear) = try gate()
        // A head without an open stream is decoded and dropped; its frames count as well.
        if isIgnored { give(Frames.headers(1, Frames.get) + Frames.reset(1), to: machine) }
        let block = Frames.block(Frames.get.map { (Array($0.0.utf8), Array($0.1.utf8)) })
        give(Frames.frame(1, 1, 1, Array(block[..<5])), to: machine)
        for index in 0..<count {
            let isLast = index == count - 1
            let piece = isLast ? Array(block[(5 + index)...]) : [block[5 + index]]
            give(Frames.frame(9, isLast ? 4 : 0, 1, piece), to: machine)
        }
        if count > 8 {
            #expect(machine.state == .failed(.flood(.continuations)))
            #expect(Frames.goAwayCode(in: written(machine)) == 11)
            #expect(isIgnored || ear.requests.isEmpty)
        } else {
            #expect(machine.state == .alive)
            #expect(ear.requests.count == 1)
        }
    }

    @Test("CONTINUATION frames that arrive byte by byte count once")
    func slowContinuation() throws {
        let (machine, ear) = try gate()
        let block = Frames.block(Frames.get.map { (Array($0.0.utf8), Array($0.1.utf8)) })
        var bytes = Frames.frame(1, 1, 1, [block[0]])
        for index in 1...8 {
            bytes += Frames.frame(9, index == 8 ? 4 : 0, 1, index == 8 ? Array(block[8...]) : [block[index]])
        }
        for byte in bytes { give([byte], to: machine) }
        #expect(ear.requests.count == 1 && machine.state == .alive)
    }

    @Test("the encoded size of a head is limited")
    func headerBlockBytes() throws {
        let (machine, _) = try gate()
        give(Frames.frame(1, 1, 1, [0]), to: machine)
        for _ in 0..<4 { give(Frames.frame(9, 0, 1, Self.filler(16_384)), to: machine) }
        #expect(machine.state == .alive)
        give(Frames.frame(9, 0, 1, Self.filler(16_384)), to: machine)
        #expect(machine.state == .failed(.flood(.continuations)))
    }

    /// Filler for a string that is far from its end.
    private static func filler(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    @Test("repeated references to a table entry are limited by the decoded size (CVE-2016-1544)")
    func compressionBomb() throws {
        let (machine, ear) = try gate()
        // One field of 4,000 bytes goes into the table, then 16,000 references of one byte each.
        let value: [UInt8] = [127, 0xA1, 0x1E] + [UInt8](repeating: 0x61, count: 4_000)
        let learn = Frames.block(Frames.get.map { (Array($0.0.utf8), Array($0.1.utf8)) }) + [0x40, 1, 0x78] + value
        give(Frames.frame(1, 5, 1, learn), to: machine)
        #expect(ear.requests.count == 1)
        let block = Frames.block(Frames.get.map { (Array($0.0.utf8), Array($0.1.utf8)) })
        give(Frames.frame(1, 5, 3, block + [UInt8](repeating: 0xBE, count: 16_000)), to: machine)
        #expect(Frames.resets(in: written(machine)) == [3: 11])
        #expect(ear.requests.count == 1 && machine.state == .alive)
    }

    @Test("the number of unread acknowledgements is limited")
    func unreadAcknowledgements() throws {
        var limits = HTTP2Limits()
        limits.pings = .init(burst: 1_000_000, perSecond: 0)
        limits.acknowledgementsWaiting = 50
        let (machine, _) = try gate(limits)
        for _ in 0..<50 { give(Frames.ping(), to: machine) }
        #expect(machine.state == .alive)
        give(Frames.ping(), to: machine)
        #expect(machine.state == .failed(.flood(.acknowledgements)))
        #expect(Frames.goAwayCode(in: written(machine)) == 11)
    }

    @Test("streams beyond the announced limit are refused, and too many of them are a flood")
    func tooManyStreams() throws {
        var limits = HTTP2Limits()
        limits.concurrentStreams = 3
        limits.resets = .init(burst: 2, perSecond: 0)
        let machine = try HTTP2Machine(role: .client, limits: limits)
        let ear = EventLog()
        machine.handler = ear
        // Our SETTINGS are not acknowledged: the client may not know the number yet.
        give(Frames.preface, to: machine)
        for id: UInt32 in [1, 3, 5, 7, 9] { give(Frames.headers(id, Frames.get), to: machine) }
        #expect(ear.requests.keys.sorted() == [1, 3, 5] && machine.state == .alive)
        #expect(Frames.resets(in: written(machine)) == [7: 7, 9: 7])
        give(Frames.headers(11, Frames.get), to: machine)
        #expect(machine.state == .failed(.flood(.resets)))
    }

    @Test("windows may be updated as often as data requires")
    func windowUpdatesForData() throws {
        var limits = HTTP2Limits()
        limits.windowUpdates = .init(burst: 10, perSecond: 0)
        let (machine, ear) = try gate(limits)
        ear.onRequest = { _, stream in
            stream.answer(ResponseHead(status: 200, reason: "", framing: .chunked), endsStream: false)
        }
        give(
            Frames.headers(1, Frames.get) + Frames.windowUpdate(0, 1 << 20) + Frames.windowUpdate(1, 1 << 20),
            to: machine)
        for _ in 0..<100 {
            ear.streams[1]?.send([1])
            _ = written(machine)
            for _ in 0..<2 { give(Frames.windowUpdate(0) + Frames.windowUpdate(1), to: machine) }
        }
        #expect(machine.state == .alive)
    }

    @Test("an origin may reset without limit")
    func originResets() throws {
        var limits = HTTP2Limits()
        limits.resets = .init(burst: 1, perSecond: 0)
        let (machine, ear) = try asking(20, limits: limits)
        for index in 0..<20 { give(Frames.reset(UInt32(index * 2 + 1), 0xDEAD), to: machine) }
        #expect(machine.state == .alive)
        #expect(ear.ends.values.allSatisfy { $0 == .reset(code: 0xDEAD) } && ear.ends.count == 20)
    }
}
