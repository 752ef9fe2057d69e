import HTTP2Engine
import ProxyCore
import Testing

/// Whatever is in flight when a client goes, nothing of its session is held afterwards: everything in a session knows
/// the loop that it ran on, so a loop that is freed says that all of the session is.
@Suite("a session's memory is given back when it ends")
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

    @Test("a load of HTTP/1.1", arguments: ["dialing", "asked", "answering"])
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

    @Test("loads of HTTP/2", arguments: [1, 9])
    func streams(loads: Int) throws {
        let isFreed = try isFreed { loop in
            let streams = try StreamBook(loop: loop)
            for load in 1...loads { try streams.ask(.plain("/\(load)")) }
            streams.book.end(records: loads)
        }
        #expect(isFreed)
    }

    @Test("a load of HTTP/2 on a link of HTTP/1.1")
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

    @Test("loads of HTTP/2 that wait for another link because theirs was lost")
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
