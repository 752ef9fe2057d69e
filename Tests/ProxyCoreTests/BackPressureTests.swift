import Bytes
import ProxyCore
import Testing

@Suite("a slow reader pauses its writer")
struct BackPressureTests {
    private static let high = 1_000

    private func book() throws -> Playbook {
        let book = try Playbook { $0.limits.highWaterBytes = Self.high }
        book.originsAreSlow = true
        return book
    }

    private func bytes(_ count: Int) -> String { String(repeating: "x", count: count) }

    @Test("a slow client pauses its origin, which resumes after the client has read")
    func slowClient() throws {
        let book = try book()
        book.client(KeepAliveTests.get)
        try book.connected()
        book.origin("HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n" + bytes(1_500))
        book.expect("connect http://a.test reuse", "pause #1")
        #expect(book.session.awaitsClient)
        _ = book.clientReads()
        book.clientDrained()
        book.expect("resume #1")
        #expect(!book.session.awaitsClient)
        book.origin(bytes(2_500))
        #expect(book.records.map(\.words) == ["allowed 200 sent=0 received=4000"])
        book.end(records: 1)
    }

    @Test("a slow origin pauses its client, so no data piles up")
    func slowOrigin() throws {
        let book = try book()
        book.client("POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 100000\r\n\r\n")
        try book.connected()
        book.client(bytes(5_000))
        book.expect("connect http://a.test reuse", "pauseClient")
        #expect(book.session.awaitedLink === book.links[0])
        _ = book.originReads()
        book.originDrained()
        book.expect("resumeClient")
        for _ in 0..<19 {
            book.client(bytes(5_000))
            _ = book.originReads()
            book.originDrained()
        }
        book.origin(KeepAliveTests.ok)
        #expect(book.records.map(\.words) == ["allowed 200 sent=100000 received=2"])
        #expect(book.armed == .rest)
        book.end(records: 1)
    }

    @Test("the gate buffers a bounded amount while it dials, then resumes reading the client")
    func inboxWhileDialing() throws {
        let book = try book()
        book.client("POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1200\r\n\r\n" + bytes(1_100))
        book.expect("connect http://a.test reuse")
        book.client(bytes(99))
        book.expect("pauseClient")
        try book.connected()
        #expect(book.originReads().count > 1_199)
        book.originDrained()
        book.expect("resumeClient")
        book.client("x")
        book.origin(KeepAliveTests.ok)
        #expect(book.records.map(\.words) == ["allowed 200 sent=1200 received=2"])
        book.end(records: 1)
    }

    @Test("pipelined requests wait while the client does not read the responses")
    func deniedWithoutReading() throws {
        let book = try Playbook(.strict) { $0.limits.highWaterBytes = Self.high }
        book.client(String(repeating: KeepAliveTests.get, count: 10))
        #expect(book.records.count == 1)
        #expect(book.transcript.last == "  pauseClient")
        #expect(book.session.awaitsClient)
        var turns = 0
        while book.session.awaitsClient, turns < 20 {
            #expect(book.clientReads().count < 8 * Self.high)
            book.clientDrained()
            turns += 1
        }
        #expect(book.transcript.last == "  resumeClient")
        book.end(records: 10)
    }

    @Test("a client that leaves its responses unread is closed after the idle timeout")
    func unreadAnswers() throws {
        let book = try Playbook(.strict) { $0.limits.highWaterBytes = Self.high }
        book.client(String(repeating: KeepAliveTests.get, count: 10))
        #expect(book.armed == .idle)
        book.pass(.idle)
        #expect(book.session.isClosed)
        book.end(records: 1)
    }

    @Test("a paused client is read again after the last output, so that its end is seen")
    func lingeringClientIsRead() throws {
        let book = try book()
        book.client("POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 100000\r\n\r\n")
        try book.connected()
        book.client(bytes(5_000))
        book.origin("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
        book.expect(
            "connect http://a.test reuse", "pauseClient", "record allowed 413 sent=5000 received=0", "close #1",
            "resumeClient", "finishClient")
        book.clientEnded()
        book.expect("closeClient")
        book.end(records: 1)
    }

    @Test("a flood of interim responses is bounded and does not extend the deadline")
    func interimFlood() throws {
        let book = try book()
        book.client(KeepAliveTests.get)
        try book.connected()
        let hints = String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", count: 30)
        book.origin(hints)
        book.expect("connect http://a.test reuse", "pause #1")
        #expect(book.armed == .answer)
        book.pass(.answer)
        book.expect("record failed 504 sent=0 received=0 net.timeout", "close #1", "pauseClient")
        book.end(records: 1)
    }

    @Test("a link that was paused until the end of a response serves the next load")
    func keptAfterPause() throws {
        let book = try book()
        book.client(KeepAliveTests.get)
        let link = try book.connected()
        book.origin("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n" + bytes(1_000))
        link.outbox.removeAll()
        book.origin("x")
        book.expect(
            "connect http://a.test reuse", "pause #1", "record allowed 200 sent=0 received=1001", "resume #1",
            "pauseClient")
        _ = book.clientReads()
        book.clientDrained()
        book.client(KeepAliveTests.get)
        book.expect("resumeClient")
        #expect(book.originReads().hasPrefix("GET / "))
        book.end(records: 2)
    }

    @Test("a relay pauses either side")
    func relay() throws {
        let book = try book()
        try book.openTunnel("a.test")
        book.client("\u{1}" + bytes(1_500))
        book.expect("connect https://a.test reuse", "pauseClient")
        #expect(book.session.awaitedLink === book.links[0])
        _ = book.originReads()
        book.originDrained()
        book.expect("resumeClient")
        book.origin(bytes(1_500))
        book.expect("pause #1")
        _ = book.clientReads()
        book.clientDrained()
        book.expect("resume #1")
        book.end(records: 1)
    }
}
