import ATSPolicy
import HTTP2Engine
import HTTPWire
import ProxyCore
import Records
import Testing

@Suite("memory that is held for HTTP/2 clients")
struct HeldBytesTests {
    private func streams(
        _ budget: OutboxBudget = OutboxBudget(), appLimits: HTTP2Limits = HTTP2Limits()
    ) throws -> StreamBook {
        let policy = try World.law(.strict)
        return try StreamBook(appLimits: appLimits, loop: World.loop(policy, outboxes: budget))
    }

    @Test("a client that takes nothing of 100 large answers costs its share of the budget and one window of the origin")
    func zeroWindow() throws {
        let streams = try streams()
        var logs: [StreamLog] = []
        for index in 0..<100 { logs.append(try streams.ask(.plain("/\(index)"), consumes: false)) }
        let origin = try #require(streams.origin)
        let body = String(repeating: "x", count: 200_000)
        for request in origin.requests { request.stream?.answer(200, body) }
        streams.carry()
        let held = streams.book.session.heldBytes
        #expect(held > 500_000 && held < 2 * 1_048_576 + 131_072, "\(held)")
        // The rest arrives once the client takes it.
        for log in logs {
            log.consumes = true
            log.stream?.consume(log.body.count)
        }
        streams.carry()
        // The gate continues each time that the client's socket has taken what was written.
        var turns = 0
        while streams.book.session.awaitsClient, turns < 1_000 {
            turns += 1
            streams.book.clientDrained()
            streams.carry()
        }
        #expect(logs.allSatisfy { $0.body.count == 200_000 && $0.end == .done })
        #expect(streams.book.session.heldBytes == 0)
        streams.book.end(records: 100)
        #expect(streams.book.records.allSatisfy { $0.verdict == .allowed })
    }

    @Test("six answers of HTTP/1.1 origins to a client that takes nothing cost little more than one, and arrive later")
    func bridgedAnswers() throws {
        let streams = try StreamBook(alpn: ["h2"], serves: ["http/1.1"])
        let (size, chunk) = (327_680, String(repeating: "x", count: 16_384))
        var logs: [StreamLog] = []
        for index in 0..<6 {
            logs.append(try streams.ask(.plain("/\(index)"), consumes: false))
            if index > 0 { try streams.connected(serves: ["http/1.1"]) }
        }
        var sent = [Int](repeating: 0, count: logs.count)
        for (index, link) in streams.book.links.enumerated() {
            streams.book.peerSends("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n", on: link)
            while sent[index] < size, !streams.book.transcript.contains("  pause #\(index + 1)") {
                streams.book.peerSends(chunk, on: link)
                streams.carry()
                sent[index] += chunk.utf8.count
            }
        }
        let held = streams.book.session.heldBytes
        #expect(held > 262_144 && held < 2 * 262_144, "\(held)")
        for log in logs {
            log.consumes = true
            log.stream?.consume(log.body.count)
        }
        for (index, link) in streams.book.links.enumerated() {
            while sent[index] < size {
                streams.book.peerSends(chunk, on: link)
                streams.carry()
                sent[index] += chunk.utf8.count
            }
        }
        streams.carry()
        #expect(logs.allSatisfy { $0.body.count == size && $0.end == .done })
        #expect(streams.book.session.heldBytes == 0)
        streams.book.end(records: 6)
    }

    @Test("an upload that the origin does not take counts as held, and continues when it does")
    func stalledUpload() throws {
        let streams = try streams()
        let origin = try #require(streams.origin)
        origin.consumes = false
        let log = StreamLog()
        let stream = try #require(
            streams.app.machine.open(.plain("/up", method: .put, endsStream: false), handler: log))
        stream.send(String(repeating: "x", count: 150_000))
        stream.finish(trailers: nil)
        streams.carry()
        #expect(streams.book.session.heldBytes > 65_536 && streams.book.session.heldBytes < 131_072 + 2_000)
        let request = try #require(origin.requests.first)
        request.consumes = true
        request.stream?.consume(request.body.count)
        streams.carry()
        #expect(request.body.count == 150_000 && streams.book.session.heldBytes < 2_000)
        request.stream?.answer(200)
        streams.carry()
        streams.book.end(records: 1)
        #expect(streams.book.records.map(\.verdict) == [.allowed])
    }

    @Test("heads of open requests are limited; a request beyond the limit is refused, and recorded")
    func amplifiedHeads() throws {
        let streams = try streams()
        // HPACK sends the field once, and then names it.
        let fields = (0..<14).map { _ in ("x-large", String(repeating: "a", count: 3_900)) }
        var logs: [StreamLog] = []
        for index in 0..<100 { logs.append(try streams.ask(.plain("/\(index)", fields: fields))) }
        #expect(streams.book.session.heldBytes <= 655_360)
        let refused = logs.filter { $0.end == .refused }
        #expect(refused.count > 85 && refused.count < 92, "\(refused.count)")
        for request in try #require(streams.origin).requests { request.stream?.answer(204) }
        streams.carry()
        #expect(try streams.ask(.plain("/after")).end == nil)
        streams.origin?.requests.last?.stream?.answer(204)
        streams.carry()
        #expect(streams.book.session.heldBytes == 0)
        streams.book.end(records: 101)
        let failed = streams.book.records.filter { $0.verdict == .failed }
        #expect(failed.count == refused.count)
        #expect(failed.allSatisfy { $0.diagnosis?.findings.map(\.rule) == [.gateMemory] })
    }

    @Test("no stream opens while the loop's budget is spent")
    func spent() throws {
        let budget = OutboxBudget(bytes: 1_000)
        let streams = try streams(budget)
        budget.note(from: 0, to: 1_001)
        #expect(try streams.ask(.plain("/1")).end == .refused)
        budget.note(from: 1_001, to: 1_000)
        let log = try streams.ask(.plain("/2"))
        streams.origin?.requests.first?.stream?.answer(204)
        streams.carry()
        #expect(log.status == 204)
        streams.book.end(records: 2)
        #expect(streams.book.records.map(\.verdict) == [.failed, .allowed])
    }

    @Test("a client that has not read for longest ends when the budget is spent, and its loads are recorded")
    func overBudget() throws {
        let streams = try streams()
        try streams.ask(.plain("/1"), consumes: false)
        streams.book.tell(.overBudget, as: "overBudget")
        streams.book.end(records: 1)
        #expect(streams.book.records.first?.diagnosis?.findings.map(\.rule) == [.gateMemory])
    }
}
