import Bytes
import ProxyCore
import Testing

@Suite("slow readers share what may wait for them")
struct OutboxBudgetTests {
    private static let usual = 262_144

    /// Bytes that an origin may send a client that reads none, until it is held back; in steps of a kilobyte.
    private func untilHeldBack(with budget: OutboxBudget) throws -> Int {
        let book = try Playbook(World.law(.openWorld), loop: World.loop(World.law(.openWorld), outboxes: budget))
        book.client(KeepAliveTests.get)
        try book.connected()
        book.origin("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
        var sent = 0
        while book.transcript.last != "  pause #1", sent < 1_000_000 {
            book.origin(String(repeating: "x", count: 1_000))
            sent += 1_000
        }
        #expect(book.session.awaitsClient)
        book.end(records: 1)
        return sent
    }

    @Test("the more others hold, the less may wait, but never less than a TLS record")
    func shares() throws {
        let budget = OutboxBudget(bytes: 1_048_576)
        let alone = try untilHeldBack(with: budget)
        #expect(abs(alone - Self.usual) < 2_000)
        budget.note(from: 0, to: 786_432)
        let beside = try untilHeldBack(with: budget)
        #expect(abs(beside - Self.usual / 4) < 2_000)
        budget.note(from: 786_432, to: 2_000_000)
        let last = try untilHeldBack(with: budget)
        #expect(abs(last - 16_384) < 2_000)
        budget.note(from: 2_000_000, to: 0)
        #expect(try untilHeldBack(with: budget) == alone)
    }

    @Test("who is held back goes on at a low water that is lower, too")
    func lowWater() throws {
        let budget = OutboxBudget(bytes: 1_048_576)
        let book = try Playbook(World.law(.openWorld), loop: World.loop(World.law(.openWorld), outboxes: budget))
        #expect(book.session.lowWaterBytes == Self.usual / 4)
        budget.note(from: 0, to: 2_000_000)
        #expect(book.session.lowWaterBytes == 4_096)
        book.end(records: 0)
    }
}
