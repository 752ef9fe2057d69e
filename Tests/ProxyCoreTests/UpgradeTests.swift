import ATSPolicy
import Bytes
import Foundation
import ProxyCore
import Records
import TLSEngine
import Testing

@Suite("changes of protocol inside HTTP/1.1")
struct UpgradeTests {
    private static let socket = """
        GET /chat HTTP/1.1\r\nHost: a.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n
        """
    private static let agreed = """
        HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
        Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n
        """

    /// An absolute-form request over an open world.
    private func plain(_ text: String, _ others: OtherUpgrades = .relay) throws -> Playbook {
        let book = try Playbook { $0.otherUpgrades = others }
        book.client(text.replacingOccurrences(of: "GET /chat", with: "GET http://a.test/chat"))
        try book.connected()
        return book
    }

    @Test("a WebSocket is relayed after the 101 and recorded with both byte counts")
    func webSocket() throws {
        let book = try plain(Self.socket)
        let request = book.originReads()
        #expect(request.hasPrefix("GET /chat HTTP/1.1\r\n"))
        #expect(request.contains("Upgrade: websocket\r\n") && request.contains("Connection: upgrade\r\n"))
        book.origin(Self.agreed + "early")
        let answer = book.clientReads()
        #expect(answer.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n") && answer.hasSuffix("\r\n\r\nearly"))
        #expect(answer.contains("Connection: upgrade\r\n") && !answer.contains("Content-Length"))
        book.client("\u{1}\u{2}GET / HTTP/1.1")
        #expect(book.originReads() == "\u{1}\u{2}GET / HTTP/1.1")
        book.origin("pong")
        #expect(book.clientReads() == "pong")
        book.originEnded()
        book.clientEnded()
        #expect(book.records.map(\.words) == ["allowed 101 sent=16 received=9"])
        #expect(book.records.first?.load.wireProtocol == .websocket)
        book.end(records: 1)
    }

    @Test("inside TLS its bytes are opened and sealed again, and either side's end reaches the other")
    func secure() throws {
        let book = try Playbook(.strict)
        try book.tunnel(to: "a.test")
        book.appSends(Self.socket)
        #expect(book.peerReads().contains("Upgrade: websocket\r\n"))
        book.peerSends(Self.agreed)
        #expect(book.app?.reads().hasPrefix("HTTP/1.1 101 ") == true)
        book.appSends("ping")
        #expect(book.peerReads() == "ping")
        book.peerSends("pong")
        #expect(book.app?.reads() == "pong")
        book.app?.machine.sendClose()
        book.carry()
        #expect(book.peers.values.first?.machine.state == .closed)
        book.originEnded()
        #expect(book.records.map(\.words) == ["allowed 101 sent=4 received=4"])
        #expect(book.records.first?.load.target.scheme == .https)
        book.end(records: 1)
    }

    @Test("bytes that the client sends before the 101 wait for it")
    func earlyClient() throws {
        let book = try plain(Self.socket + "frame")
        _ = book.originReads()
        book.origin(Self.agreed)
        #expect(book.originReads() == "frame")
        book.end(records: 1)
    }

    @Test("an origin that does not agree answers as to any request")
    func declined() throws {
        let book = try plain(Self.socket)
        book.origin("HTTP/1.1 426 Upgrade Required\r\nContent-Length: 2\r\n\r\nno")
        #expect(book.clientReads().hasSuffix("no"))
        #expect(book.records.map(\.words) == ["allowed 426 sent=0 received=2"])
        #expect(book.records.first?.load.wireProtocol == .http1)
        book.end(records: 1)
    }

    @Test("another protocol is relayed or not asked for, by option", arguments: OtherUpgrades.allCases)
    func other(_ others: OtherUpgrades) throws {
        let text = Self.socket.replacingOccurrences(of: "websocket", with: "imap/1")
        let book = try plain(text, others)
        #expect(book.originReads().contains("Upgrade: imap/1\r\n") == (others == .relay))
        book.origin(Self.agreed.replacingOccurrences(of: "websocket", with: "imap/1"))
        let words =
            others == .relay
            ? "allowed 101 sent=0 received=0 client.other-traffic" : "failed 502 sent=0 received=0 http.malformed"
        book.clientEnded()
        book.originEnded()
        #expect(book.records.map(\.words) == [words])
        book.end(records: 1)
    }

    /// Lists with WebSocket and another protocol, in orders and spellings that servers accept.
    private static let mixedLists = [
        "Upgrade: connect-udp, websocket", "Upgrade: websocket, connect-udp", "Upgrade: WebSocket/13 , Connect-UDP",
        "Upgrade: connect-udp\r\nUpgrade: websocket",
    ]

    @Test(
        "of several offered protocols only those that may be forwarded are, and the origin must choose one",
        arguments: mixedLists)
    func severalProtocols(list: String) throws {
        let text = Self.socket.replacingOccurrences(of: "Upgrade: websocket", with: list)
        for chosen in ["websocket", "connect-udp", "imap", "websocket, connect-udp", nil] {
            let refusing = try plain(text, .refuse)
            let request = refusing.originReads().lowercased()
            #expect(request.contains("upgrade: websocket\r\n") && !request.contains("connect-udp"))
            let field = chosen.map { "Upgrade: \($0)\r\n" } ?? ""
            let answer = Self.agreed.replacingOccurrences(of: "Upgrade: websocket\r\n", with: field)
            refusing.origin(answer)
            let agrees = chosen == "websocket"
            #expect(refusing.clientReads().hasPrefix(agrees ? "HTTP/1.1 101 " : "HTTP/1.1 502 "))
            refusing.end(records: 1)
            #expect(refusing.records.map(\.verdict) == [agrees ? .allowed : .failed])
            #expect(refusing.records.first?.load.wireProtocol == (agrees ? .websocket : .http1))

            let relaying = try plain(text, .relay)
            #expect(relaying.originReads().lowercased().contains("connect-udp"))
            relaying.origin(answer)
            let isOffered = chosen != nil && chosen != "imap"
            #expect(relaying.clientReads().hasPrefix(isOffered ? "HTTP/1.1 101 " : "HTTP/1.1 502 "))
            relaying.end(records: 1)
            #expect(relaying.records.first?.load.wireProtocol == (agrees ? .websocket : .http1))
            #expect(relaying.records.first?.diagnosis?.findings.contains { $0.rule == .clientOtherTraffic } == true)
        }
    }

    @Test("without a key it is no WebSocket, and --other-upgrades refuse does not forward it")
    func noKey() throws {
        let text = Self.socket.replacingOccurrences(of: "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", with: "")
        let book = try plain(text, .refuse)
        #expect(!book.originReads().lowercased().contains("upgrade: "))
        book.origin(Self.agreed)
        #expect(book.clientReads().hasPrefix("HTTP/1.1 502 "))
        book.end(records: 1)
        #expect(book.records.first?.load.wireProtocol == .http1)
    }

    @Test(
        "an upgrade that cannot be forwarded is removed from the request",
        arguments: [
            socket.replacingOccurrences(of: "websocket", with: "h2c, websocket"),
            socket.replacingOccurrences(of: "Connection: Upgrade", with: "Connection: keep-alive"),
            socket.replacingOccurrences(of: "HTTP/1.1\r\nHost", with: "HTTP/1.0\r\nHost"),
            socket.replacingOccurrences(of: "GET", with: "PUT").replacingOccurrences(
                of: "Sec-WebSocket-Version", with: "Content-Length"),
        ])
    func takenOut(text: String) throws {
        let book = try Playbook()
        book.client(text.replacingOccurrences(of: " /chat", with: " http://a.test/chat"))
        try book.connected()
        #expect(!book.originReads().contains("pgrade: "))
        book.end(records: 1)
    }

    @Test("a stalled reader of a WebSocket holds back its writer")
    func backPressure() throws {
        let book = try plain(Self.socket)
        book.origin(Self.agreed)
        _ = book.originReads()
        book.expect("connect http://a.test reuse")
        book.origin(String(repeating: "x", count: 300_000))
        book.expect("pause #1")
        book.clientOutbox.removeAll()
        book.clientDrained()
        book.expect("resume #1")
        book.end(records: 1)
    }
}
