import ATSPolicy
import ProxyCore
import Records
import Seeded
import Testing

@Suite("random events in random order")
struct MonkeyTests {
    private static let clientWords = [
        "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n", "GET http://b.test/ HTTP/1.0\r\n\r\n",
        "GET http://denied.example/ HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n",
        "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 9\r\n\r\n",
        "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n", "9\r\n123456789\r\n",
        "0\r\n\r\n", "123456789", "GET ", "\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\0\0\0\u{4}\0\0\0\0\0",
        "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
        "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{0}\u{4}\u{1}\u{0}\u{0}\u{0}", "\u{1}\u{2}", String(repeating: "y", count: 700),
    ]
    private static let originWords = [
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", "ok",
        "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 101 Switching Protocols\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "2\r\nok\r\n0\r\n\r\n", "220 hi\r\n",
        String(repeating: "z", count: 700),
    ]

    @Test("a session never traps or hangs, releases every link once and is silent after its end")
    func anything() throws {
        for seed in UInt64(1)...1_500 {
            var dice = SeededGenerator(seed: seed)
            let style: [RefusalStyle] = [.untrustedLeaf, .alert, .close]
            let book = try Playbook(
                World.law(.openWorld) {
                    $0.limits.highWaterBytes = 500
                    $0.mode = seed % 3 == 0 ? .audit : .enforce
                    $0.refusal = style[Int(seed % 3)]
                    $0.passthrough = seed % 4 == 0 ? ["a.test"] : []
                }, loop: nil)
            book.originsAreSlow = seed % 2 == 0
            book.client(Self.clientWords.randomElement(using: &dice) ?? "")
            for _ in 0..<40 where !book.session.isClosed {
                try step(book, &dice)
                if !book.session.isClosed, book.armed == nil, book.orders.isEmpty {
                    book.blame("seed \(seed): no event will ever wake this session", #_sourceLocation)
                }
            }
            try cooperate(book)
            if !book.session.isClosed, book.isClientPaused, book.orders.isEmpty, book.armed != .handshake {
                book.blame("seed \(seed): the client stays paused without a reason", #_sourceLocation)
            }
            book.end(records: nil)
            for line in book.transcript where line.hasPrefix("!!") {
                book.blame("seed \(seed): \(line)", #_sourceLocation)
            }
        }
    }

    /// Ends the origins and reads all waiting bytes, notifying the session as `ProxyServer` does.
    private func cooperate(_ book: Playbook) throws {
        for _ in 0..<500 {
            for link in book.links { book.originEnded(on: link) }
            while !book.orders.isEmpty { try book.dialFailed(.refused) }
            _ = book.clientReads()
            for link in book.links { _ = book.originReads(on: link) }
            if book.session.awaitsClient {
                book.clientDrained()
            } else if let link = book.session.awaitedLink {
                book.originDrained(on: link)
            } else {
                return
            }
        }
    }

    private func step(_ book: Playbook, _ dice: inout SeededGenerator) throws {
        let link = book.links.randomElement(using: &dice)
        switch UInt8.random(in: 0..<24, using: &dice) {
        case 0..<8: book.client(Self.clientWords.randomElement(using: &dice) ?? "")
        case 8..<12: if !book.orders.isEmpty { try book.connected() }
        case 12: if !book.orders.isEmpty { try book.dialFailed(.refused) }
        case 13..<18: book.origin(Self.originWords.randomElement(using: &dice) ?? "", on: link)
        case 18: book.originEnded(reset: Bool.random(using: &dice), on: link)
        case 19:
            _ = book.clientReads()
            book.clientDrained()
        case 20:
            _ = book.originReads(on: link)
            book.originDrained(on: link)
        case 21: if let armed = book.armed, Bool.random(using: &dice) { book.pass(armed) }
        case 22: if Bool.random(using: &dice) { book.clientEnded() }
        default:
            switch UInt8.random(in: 0..<8, using: &dice) {
            case 0: book.tell(.draining, as: "draining")
            case 1: book.tell(.drainingUnread, as: "draining, unread")
            default: break
            }
        }
    }
}
