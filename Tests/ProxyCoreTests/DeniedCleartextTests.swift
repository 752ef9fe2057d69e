import ATSPolicy
import ProxyCore
import Records
import Testing

@Suite("HTTP in the clear that is denied, inside a tunnel")
struct DeniedCleartextTests {
    /// The head by which the client asks for its tunnel.
    enum Way: CaseIterable {
        case connect, socks
    }

    /// A tunnel to port 80 of `denied.example`, which stands.
    private func tunnel(_ way: Way, mode: EnforcementMode = .enforce) throws -> (Playbook, OriginLink) {
        let book = try begun(way, mode: mode)
        let link = try book.connected()
        _ = book.clientReads()
        return (book, link)
    }

    /// The same while it is dialed.
    ///
    /// - Parameter words: come with the client's request for it.
    private func begun(_ way: Way, mode: EnforcementMode, saying words: String = "") throws -> Playbook {
        let law = try World.law(.strict) { $0.mode = mode }
        let place = ClientSource(address: "127.0.0.1:5000", entrance: way == .socks ? .socks : .proxy)
        let book = try Playbook(law, from: place)
        let host = "denied.example"
        switch way {
        case .connect: book.client("CONNECT \(host):80 HTTP/1.1\r\nHost: \(host):80\r\n\r\n" + words)
        case .socks:
            let request = [5, 1, 0, 5, 1, 0, 3, UInt8(host.utf8.count)] + Array(host.utf8) + [0, 80]
            book.client(request + Array(words.utf8))
        }
        return book
    }

    private static let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    /// None of them is a load that could be asked for.
    private static let misshapenRequests = [
        "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET / HTTP/9.9\r\nHost: a\r\n\r\n",
        "CONNECT denied.example:80 HTTP/1.1\r\nHost: denied.example:80\r\n\r\n",
        "TRACE / HTTP/1.1\r\nHost: denied.example\r\nMax-Forwards: 0\r\n\r\n",
        "OPTIONS / HTTP/1.1\r\nHost: denied.example\r\nMax-Forwards: 0\r\n\r\n", "GET / HTTP/1.1\r\nHost: denied.exam",
        "GET /", "GET /\r\n", preface, preface + "\0\0\u{1}\u{4}\0\0\0\0\0x",
        "POST / HTTP/1.1\r\nHost: denied.example\r\nContent-Length: x\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        String(repeating: "\r\n", count: 4_000) + "GET / HTTP/1.1\r\nHost: denied.example\r\n\r\n",
        String(repeating: "\n", count: 7_998) + "GET / HTTP/1.1\r\nHost: denied.example\r\n\r\n",
        String(repeating: "A", count: 8_000) + " / HTTP/1.1\r\nHost: denied.example\r\n\r\n",
        "GET\u{1c}/\u{1c}HTTP/1.1\r\nHost: denied.example\r\n\r\n",
        "PROXY TCP4 192.0.2.1 192.0.2.2 1 80\r\nGET / HTTP/1.1\r\nHost: denied.example\r\n\r\n",
        "\r\n\r\n\0\r\nQUIT\n \0\0\0GET / HTTP/1.1\r\nHost: denied.example\r\n\r\n",
    ]

    @Test(
        "what is denied, malformed or unfinished is recorded as refused, and reaches nobody",
        arguments: misshapenRequests,
        Way.allCases)
    func misshapen(text: String, way: Way) throws {
        let (book, link) = try tunnel(way)
        book.client(text)
        #expect(book.originReads(on: link).isEmpty)
        if !book.session.isClosed { book.clientEnded() }
        book.end(records: 1)
        let record = try #require(book.records.first)
        #expect(record.verdict == .blocked)
        #expect(record.load.target.origin == "http://denied.example")
        #expect(record.diagnosis?.findings.first?.rule == .cleartextLoad)
        #expect(record.diagnosis?.apple?.code == -1022)
        #expect(book.originReads(on: link).isEmpty)
    }

    @Test(
        "what comes with its CONNECT is ruled on, though its client ends or is gone before the tunnel stands",
        arguments: [true, false], [EnforcementMode.enforce, .audit])
    func goneWhileDialing(isReset: Bool, mode: EnforcementMode) throws {
        let book = try Playbook(try World.law(.strict) { $0.mode = mode })
        let request = "GET / HTTP/1.1\r\nHost: denied.example\r\n\r\n"
        book.client("CONNECT denied.example:80 HTTP/1.1\r\nHost: denied.example:80\r\n\r\n" + request)
        if isReset {
            book.clientLost()
        } else {
            book.clientEnded()
            let link = try book.connected()
            #expect(book.clientReads().contains("403 Forbidden") == (mode == .enforce))
            #expect(book.originReads(on: link).isEmpty == (mode == .enforce))
            if mode == .audit { book.origin(KeepAliveTests.ok, on: link) }
        }
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [mode == .enforce ? .blocked : .wouldBlock])
        #expect(book.records.first?.diagnosis?.findings.contains { $0.rule == .cleartextLoad } == true)
    }

    @Test(
        "what comes with its CONNECT is denied before it is known that its origin can not be reached",
        arguments: Way.allCases, [EnforcementMode.enforce, .audit])
    func unreachable(way: Way, mode: EnforcementMode) throws {
        let asked = "GET /x HTTP/1.1\r\nHost: denied.example\r\n\r\n"
        for (request, isDenied) in [(asked, true), ("GET /x", true), ("SSH-2.0-x\r\n", false), ("", false)] {
            let book = try begun(way, mode: mode, saying: request)
            try book.dialFailed(.refused)
            if !book.session.isClosed { book.clientEnded() }
            book.end(records: 1)
            let record = try #require(book.records.first)
            #expect(record.verdict == (!isDenied ? .failed : mode == .enforce ? .blocked : .wouldBlock))
            #expect(record.diagnosis?.findings.first?.rule == (isDenied ? .cleartextLoad : .netRefused))
            guard mode == .enforce, request == asked else { continue }
            #expect(record.load.url == "http://denied.example/x" && record.refusal == .page)
            #expect(book.clientReads().contains("HTTP/1.1 403 Forbidden"))
        }
    }

    @Test(
        "audit mode records the same as what would be blocked",
        // A method of any length is one, so that load goes on.
        arguments: misshapenRequests.filter { !$0.hasPrefix("AAA") })
    func audited(text: String) throws {
        let (book, _) = try tunnel(.connect, mode: .audit)
        book.client(text)
        if !book.session.isClosed { book.clientEnded() }
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.wouldBlock])
        #expect(book.records.first?.diagnosis?.findings.first?.rule == .cleartextLoad)
    }

    /// Requests that begin like another protocol.
    private static let disguisedRequests = [
        "\0GET / HTTP/1.1\r\n\r\n", "\u{1}\u{2}\u{3}\r\nGET / HTTP/1.1\r\n\r\n", "EHLO a\r\nGET / HTTP/1.1\r\n\r\n",
        "SSH-2.0-x\r\nGET / HTTP/1.1\r\n\r\n", "GET\u{2003}/\u{2003}HTTP/1.1\r\n\r\n", "\u{feff}GET / HTTP/1.1\r\n\r\n",
        "\u{5}\u{1}\0\u{5}\u{1}\0\u{1}\u{7f}\0\0\u{1}\0PGET / HTTP/1.1\r\n\r\n", "\0" + preface,
        "\"GET / HTTP/1.1\r\n\r\n", "{GET} /x HTTP/1.0\n\n",
    ]

    @Test("a request that is disguised as another protocol gets no answer", arguments: disguisedRequests, Way.allCases)
    func disguised(text: String, way: Way) throws {
        let (book, link) = try tunnel(way)
        book.client(text)
        book.origin(Self.httpAnswers[0], on: link)
        #expect(book.session.isClosed && book.clientReads().isEmpty)
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.blocked])
        #expect(book.records.first?.load.target.origin == "http://denied.example")
        #expect(book.records.first?.diagnosis?.findings.first?.rule == .cleartextLoad)
        #expect(book.records.first?.refusal == .close)
    }

    /// The first bytes of a TLS server, of any version.
    private static let handshakes: [[UInt8]] = [
        [0x16, 3, 3, 0, 90, 2], [0x15, 3, 1, 0, 2, 2, 40], [0x15, 4, 3, 0, 2, 1, 90], [0x14, 3, 3, 0, 1, 1], [0x18, 0],
    ]

    @Test(
        "TLS that began like another protocol is refused by the origin's first bytes, even if cleartext is allowed",
        arguments: handshakes, [PropertyValue.strict, .openWorld])
    func disguisedHandshake(bytes: [UInt8], declaration: PropertyValue) throws {
        for isSplit in [false, true] {
            let book = try Playbook(declaration)
            let link = try book.openTunnel("a.test")
            _ = book.clientReads()
            book.client("\u{1}\u{2}")
            for piece in isSplit ? bytes.map({ [$0] }) : [bytes] where !book.session.isClosed {
                book.origin(piece, on: link)
            }
            #expect(book.session.isClosed && book.clientReads().isEmpty)
            book.end(records: 1)
            #expect(book.records.map(\.words) == ["blocked - sent=2 received=0 close client.other-traffic"])
        }
    }

    @Test("in audit mode such a handshake passes, and is recorded as one that would be blocked")
    func auditedHandshake() throws {
        let book = try Playbook(.strict) { $0.mode = .audit }
        let link = try book.openTunnel("a.test")
        _ = book.clientReads()
        book.client("\u{1}\u{2}")
        book.origin([0x16, 3, 3, 0, 90, 2], on: link)
        #expect(book.clientOutbox.drained == [0x16, 3, 3, 0, 90, 2])
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.wouldBlock])
        #expect(book.records.first?.diagnosis?.findings.contains { $0.title.contains("TLS handshake") } == true)
    }

    private static let httpAnswers = [
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "\r\n\r\nHTTP/1.0 200 OK\r\n\r\nok", "ICY 200 OK\r\n\r\n",
        "<!DOCTYPE html><title>x</title>", "<html>x", "http/1.1 200\r\n\r\n",
    ]

    @Test("an origin that begins with HTTP is not heard, whoever speaks first", arguments: httpAnswers, [1, Int.max])
    func answers(text: String, pieceBytes: Int) throws {
        for isAsked in [true, false] {
            let (book, link) = try tunnel(.connect)
            if isAsked { book.client("\u{1}\u{2}") }
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty, !book.session.isClosed {
                book.origin(Array(rest.prefix(pieceBytes)), on: link)
                rest = rest.dropFirst(pieceBytes)
            }
            #expect(book.session.isClosed)
            #expect(book.clientReads().isEmpty)
            book.end(records: 1)
            let words = "blocked - sent=\(isAsked ? 2 : 0) received=0 close ats.cleartext-load"
            #expect(book.records.map(\.words) == [words])
        }
    }

    @Test("in audit mode both pass, and are recorded as what would be blocked")
    func auditedRelay() throws {
        for isAsked in [true, false] {
            let (book, link) = try tunnel(.connect, mode: .audit)
            if isAsked { book.client("\0GET / HTTP/1.1\r\n\r\n") }
            book.origin(Self.httpAnswers[0], on: link)
            #expect(book.clientReads() == Self.httpAnswers[0])
            book.end(records: 1)
            #expect(book.records.map(\.verdict) == [.wouldBlock])
        }
    }

    /// Turns of client and origin, the client first.
    private static let conversations: [[String]] = [
        ["\u{5}\u{1}\0", "\u{5}\0", "\u{5}\u{1}\0\u{1}GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n"],
        ["EHLO a\r\n", "250 a\r\n", "STARTTLS\r\n", "220 go\r\n", "\u{16}\u{3}\u{1}", "\u{16}\u{3}\u{3}"],
        ["SSH-2.0-OpenSSH_9.2p1\r\n", "SSH-2.0-OpenSSH_9.3\r\n", "\0\0\u{5}kex"],
        ["\u{10}\u{c}\0\u{4}MQTT", " \u{2}\0\0", "0\u{1}x"],
        [
            "", "220 a ESMTP\r\n", "EHLO a\r\n", "250 a\r\n", "DATA\r\n", "354 go\r\n",
            "Subject: \"GET / HTTP/1.1\"\r\n\r\nx",
        ],
        ["a1 LOGIN b c\r\n", "a1 OK\r\n", "a2 FETCH 1 BODY[]\r\n", "* 1 FETCH (BODY[] {9}\r\nHTTP/1.1 )\r\n"],
        ["*1\r\n$4\r\nPING\r\n", "+PONG\r\n", "*2\r\n$3\r\nGET\r\n$1\r\nx\r\n", "$8\r\nHTTP/1.1\r\n"],
        ["NICK a\r\nUSER a 0 * :b\r\n", ":a 001 b\r\n"], ["\u{1}", "H", "\u{2}", "I"], ["\u{1}", "\n", "\u{2}", "ok"],
        ["{\"m\": \"GET / HTTP/1.1\"}\n", "", "{\"m\": \"GET / HTTP/1.1\"}\n"],
        ["{\"m\":\"GET / HTTP/1.1\"}\n{\"m\":\"GET / HTTP/1.1 200\"}\n", "ok\n", "{\"m\":\"GET /x HTTP/1.1\n"],
        [
            "", "220 a\r\n", "EHLO a\r\nMAIL FROM:<a@b>\r\nDATA\r\n", "354 go\r\n",
            "Subject: Fix HTTP/2\r\nSee: /x HTTP/1.1\r\n",
        ],
    ]

    @Test("other protocols pass both ways, and only the origin's first bytes are examined", arguments: conversations)
    func foreign(turns: [String]) throws {
        let (book, link) = try tunnel(.connect)
        for (index, turn) in turns.enumerated() where !turn.isEmpty {
            if index % 2 == 0 { book.client(turn) } else { book.origin(turn, on: link) }
        }
        #expect(book.originReads(on: link) == turns.enumerated().filter { $0.offset % 2 == 0 }.map(\.element).joined())
        #expect(book.clientReads() == turns.enumerated().filter { $0.offset % 2 == 1 }.map(\.element).joined())
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.outside])
    }

    @Test("an HTTP answer passes if cleartext is allowed")
    func permitted() throws {
        let book = try Playbook()
        let link = try book.openTunnel("a.test")
        _ = book.clientReads()
        book.client("\0GET / HTTP/1.1\r\n\r\n")
        book.origin(Self.httpAnswers[0])
        #expect(book.originReads(on: link) == "\0GET / HTTP/1.1\r\n\r\n")
        #expect(book.clientReads() == Self.httpAnswers[0])
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.outside])
    }
}
