import Bytes
import ProxyCore
import Testing

@Suite("slow readers share a budget of waiting bytes")
struct OutboxBudgetTests {
    private static let usual = 262_144

    /// The number of bytes that an origin may send to a client that does not read, until it is paused; in steps of
    /// 1,000.
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

    @Test("a fuller budget lowers each limit, but never below the size of a TLS record")
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

    @Test("a fuller budget also lowers the low-water mark at which reading resumes")
    func lowWater() throws {
        let budget = OutboxBudget(bytes: 1_048_576)
        let book = try Playbook(World.law(.openWorld), loop: World.loop(World.law(.openWorld), outboxes: budget))
        #expect(book.session.lowWaterBytes == Self.usual / 4)
        budget.note(from: 0, to: 2_000_000)
        #expect(book.session.lowWaterBytes == 4_096)
        book.end(records: 0)
    }
}
