import ProxyCore
import Records
import TLSEngine
import Testing

@Suite("how connections end: vanished clients, deadlines, draining and stopping")
struct EndingTests {
    private static let post = "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 9\r\n\r\nabc"

    private func sent(_ request: String) throws -> Playbook {
        let book = try Playbook()
        book.client(request)
        try book.connected()
        book.expect("connect http://a.test reuse")
        return book
    }

    @Test("a client that vanishes is recorded in every phase of its load")
    func clientVanishes() throws {
        let dialing = try Playbook()
        dialing.client(KeepAliveTests.get)
        dialing.clientLost()
        dialing.expect(
            "connect http://a.test reuse", "record failed - sent=0 received=0 client.gone", "abandonConnect",
            "closeClient")
        dialing.end(records: 1)

        let uploading = try sent(Self.post)
        uploading.clientLost()
        uploading.expect("record failed - sent=3 received=0 client.gone", "close #1", "closeClient")
        uploading.end(records: 1)

        let downloading = try sent(KeepAliveTests.get)
        downloading.origin("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello")
        downloading.clientLost()
        downloading.expect("record failed 200 sent=0 received=5 client.gone", "close #1", "closeClient")
        downloading.end(records: 1)
    }

    @Test("a client that half-closes after its request still gets its response")
    func halfClose() throws {
        let book = try sent(KeepAliveTests.get)
        book.clientEnded()
        book.expect()
        book.origin(KeepAliveTests.ok)
        book.expect("record allowed 200 sent=0 received=2", "keep #1", "closeClient")
        book.end(records: 1)
    }

    @Test("a client that half-closes during its upload counts as gone, also while its origin is dialed")
    func halfCloseInBody() throws {
        let book = try sent(Self.post)
        book.clientEnded()
        book.expect("record failed - sent=3 received=0 client.gone", "close #1", "closeClient")
        book.end(records: 1)
        let dialing = try Playbook()
        dialing.client(Self.post)
        dialing.clientEnded()
        try dialing.connected()
        #expect(dialing.records.map(\.words) == ["failed - sent=3 received=0 client.gone"])
        dialing.end(records: 1)
    }

    @Test("a head that takes too long gets 408; a silent connection is only closed")
    func headDeadline() throws {
        let book = try Playbook()
        #expect(book.armed == .head)
        book.client("GET http://a.te")
        #expect(book.armed == .head)
        book.pass(.head)
        book.expect("finishClient")
        #expect(book.clientReads().hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
        #expect(book.armed == .linger)
        book.pass(.linger)
        book.expect("closeClient")
        book.end(records: 0)
        let silent = try Playbook()
        silent.pass(.head)
        silent.expect("closeClient")
        silent.end(records: 0)
    }

    @Test(
        "an unfinished head gets 408 when descriptors are running out, with a record if its target is known")
    func shedHead() throws {
        let early = try Playbook()
        early.client("GET http://a.te")
        #expect(early.session.onlyWaits)
        early.tell(.shed, as: "shed")
        early.expect("finishClient")
        #expect(early.clientReads().hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
        early.end(records: 0)
        let known = try Playbook()
        known.client("GET http://a.test/x HTTP/1.1\r\nHost: a.test\r\nX-Slow: ")
        known.tell(.shed, as: "shed")
        known.expect("record failed 408 sent=0 received=0 gate.descriptors", "finishClient")
        #expect(known.clientReads().hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
        #expect(known.records.first?.diagnosis?.apple == nil)
        known.end(records: 1)
    }

    @Test("idle tunnels and stalled TLS handshakes are shed, too, and recorded with the reason")
    func shedTunnels() throws {
        let silent = try Playbook()
        try silent.openTunnel("a.test")
        #expect(silent.session.onlyWaits)
        silent.tell(.shed, as: "shed")
        silent.expect(
            "connect https://a.test reuse", "record failed - sent=0 received=0 gate.descriptors", "close #1",
            "closeClient")
        silent.end(records: 1)
        let slow = try Playbook()
        let link = try slow.openTunnel("good.test")
        let app = try AppPeer(serverName: "good.test")
        app.machine.start()
        slow.client(app.outbox.drained)
        slow.serve(link, as: try OriginPeer(.sound("good.test")))
        // The origin has passed, but the client stalls its handshake.
        #expect(slow.session.onlyWaits && slow.armed == .handshake)
        slow.tell(.shed, as: "shed")
        #expect(slow.records.map(\.words) == ["failed - sent=0 received=0 gate.descriptors"])
        #expect(slow.session.isClosed)
        slow.end(records: 1)
    }

    @Test("a connection that waits for a response is not idle; one between two loads is shed without a record")
    func shedBetweenLoads() throws {
        let book = try sent(KeepAliveTests.get)
        #expect(!book.session.onlyWaits)
        book.origin(KeepAliveTests.ok)
        #expect(book.session.onlyWaits)
        book.tell(.shed, as: "shed")
        #expect(book.session.isClosed)
        book.end(records: 1)
    }

    @Test("the idle timeout between loads is longer, and a slow second head gets the head timeout again")
    func idleDeadline() throws {
        let book = try sent(KeepAliveTests.get)
        book.origin(KeepAliveTests.ok)
        #expect(book.armed == .rest)
        book.client("GET ")
        #expect(book.armed == .head)
        book.client("http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n")
        #expect(book.armed == .answer)
        book.origin(KeepAliveTests.ok)
        book.pass(.rest)
        #expect(book.armed == .idle)
        book.pass(.idle)
        #expect(book.transcript.suffix(4) == ["> deadline rest", "  keep #1", "> deadline idle", "  closeClient"])
        book.end(records: 2)
    }

    @Test("an origin that does not answer in time becomes 504; one that stops mid-response is cut off")
    func answerDeadline() throws {
        let book = try sent(KeepAliveTests.get)
        book.pass(.answer)
        book.expect("record failed 504 sent=0 received=0 net.timeout", "close #1")
        #expect(book.clientReads().hasPrefix("HTTP/1.1 504 Gateway Timeout\r\n"))
        book.end(records: 1)
        let stalled = try sent(KeepAliveTests.get)
        stalled.origin("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello")
        #expect(stalled.armed == .idle)
        stalled.pass(.idle)
        stalled.expect("record failed 200 sent=0 received=5 net.timeout", "close #1", "closeClient")
        stalled.end(records: 1)
    }

    @Test("an upload may take long while it makes progress; a client that stops uploading is blamed")
    func uploadDeadline() throws {
        let book = try sent(Self.post)
        #expect(book.armed == .idle)
        book.client("def")
        #expect(book.armed == .idle)
        _ = book.originReads()
        book.pass(.idle)
        book.expect("record failed 408 sent=6 received=0 client.gone", "close #1", "finishClient")
        #expect(book.clientReads().hasPrefix("HTTP/1.1 408 "))
        book.end(records: 1)
        let whole = try sent(Self.post)
        whole.client("defghi")
        #expect(whole.armed == .answer)
        whole.end(records: 1)
    }

    @Test("a deadline that is no longer armed has no effect")
    func staleDeadline() throws {
        let book = try sent(KeepAliveTests.get)
        for deadline in [Deadline.head, .idle, .linger, .handshake, .halfClosed] { book.pass(deadline) }
        book.expect()
        book.origin(KeepAliveTests.ok)
        book.pass(.answer)
        book.expect("record allowed 200 sent=0 received=2")
        book.end(records: 1)
    }

    @Test("a draining gate finishes the load in flight and starts no other")
    func draining() throws {
        let idle = try Playbook()
        idle.tell(.draining, as: "draining")
        idle.expect("closeClient")
        idle.end(records: 0)
        let early = try sent(KeepAliveTests.get)
        early.tell(.draining, as: "draining")
        early.expect()
        early.origin(KeepAliveTests.ok)
        early.expect("record allowed 200 sent=0 received=2", "keep #1", "closeClient")
        #expect(early.clientReads().contains("Connection: close\r\n"))
        early.end(records: 1)
        let late = try sent(KeepAliveTests.get)
        late.origin("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
        late.tell(.draining, as: "draining")
        late.origin("ok")
        late.expect("record allowed 200 sent=0 received=2", "keep #1", "closeClient")
        late.end(records: 1)
    }

    @Test("a draining gate answers a request that it has not read yet, as the last of its connection")
    func drainingUnread() throws {
        let new = try Playbook()
        new.tell(.drainingUnread, as: "draining, unread")
        new.expect()
        new.client(KeepAliveTests.get)
        try new.connected()
        new.expect("connect http://a.test reuse")
        new.origin(KeepAliveTests.ok)
        new.expect("record allowed 200 sent=0 received=2", "keep #1", "closeClient")
        #expect(new.clientReads().contains("Connection: close\r\n"))
        new.end(records: 1)
    }

    @Test("a stopping gate records the loads in flight")
    func stopping() throws {
        let book = try sent(KeepAliveTests.get)
        book.tell(.stopping, as: "stopping")
        book.expect("record failed - sent=0 received=0 gate.stopped", "close #1", "closeClient")
        book.end(records: 1)
        let opening = try Playbook()
        opening.client("CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n")
        opening.tell(.stopping, as: "stopping")
        opening.expect(
            "connect https://a.test reuse", "abandonConnect", "record failed - sent=0 received=0 gate.stopped",
            "closeClient")
        opening.end(records: 1)
    }

    @Test("a link that connects after its client left is released")
    func lateConnection() throws {
        let book = try Playbook()
        book.client(KeepAliveTests.get)
        book.client(KeepAliveTests.get)
        let order = try Playbook()
        order.client(KeepAliveTests.get)
        let link = try order.connected()
        book.clientLost()
        book.tell(.originConnected(link), as: "connected late")
        #expect(book.transcript.last == "  keep #idle" || book.transcript.last == "  close #idle")
        book.end(records: 1)
        order.end(records: 1)
    }
}
