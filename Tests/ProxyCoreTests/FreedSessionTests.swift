import HTTP2Engine
import ProxyCore
import Testing

/// Every object of a session references the loop that it ran on. A freed loop therefore proves that the whole session
/// is freed,
/// regardless of the state in which its client left.
@Suite("an ended session frees its memory")
struct FreedSessionTests {
    private func isFreed(_ run: (LoopContext) throws -> Void) throws -> Bool {
        weak var held: LoopContext?
        do {
            let loop = try World.loop(World.law(.openWorld))
            held = loop
            try run(loop)
        }
        return held == nil
    }

    @Test("an HTTP/1.1 load is freed", arguments: ["dialing", "asked", "answering"])
    func plainLoad(state: String) throws {
        let isFreed = try isFreed { loop in
            let book = try Playbook(loop.policy, loop: loop)
            book.client(KeepAliveTests.get)
            if state != "dialing" { try book.connected() }
            if state == "answering" { book.origin("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello") }
            book.end(records: 1)
        }
        #expect(isFreed)
    }

    @Test("HTTP/2 loads are freed", arguments: [1, 9])
    func streams(loads: Int) throws {
        let isFreed = try isFreed { loop in
            let streams = try StreamBook(loop: loop)
            for load in 1...loads { try streams.ask(.plain("/\(load)")) }
            streams.book.end(records: loads)
        }
        #expect(isFreed)
    }

    @Test("an HTTP/2 load on an HTTP/1.1 link is freed")
    func bridge() throws {
        let isFreed = try isFreed { loop in
            let streams = try StreamBook(loop: loop)
            streams.book.originEnded()
            try streams.ask(.plain("/1"))
            try streams.connected(serves: ["http/1.1"])
            streams.book.end(records: 1)
        }
        #expect(isFreed)
    }

    @Test("HTTP/2 loads that wait for a replacement link are freed")
    func lostLink() throws {
        let isFreed = try isFreed { loop in
            let streams = try StreamBook(loop: loop)
            try streams.ask(.plain("/1"))
            streams.book.originEnded(reset: true)
            streams.book.end(records: 1)
        }
        #expect(isFreed)
    }
}
