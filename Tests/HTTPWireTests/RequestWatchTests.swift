import HTTPWire
import Testing

@Suite("requests and answers of HTTP among other words")
struct RequestWatchTests {
    private static let blanks: [[UInt8]] =
        (UInt8.min...UInt8.max).filter { ($0 <= 0x20 || $0 >= 0x7F) && $0 != 0x0A }.map { [$0] }
        + ["\u{a0}", "\u{85}", "\u{2003}", "\u{3000}", "\u{feff}", " \t ", "\r"].map { Array($0.utf8) }

    private func finds(_ pieces: [[UInt8]]) -> Bool {
        var watch = RequestWatch()
        return pieces.reduce(false) { found, piece in piece.withUnsafeBytes { watch.finds(in: $0) } || found }
    }

    @Test("anything but visible ASCII may stand for a blank, in whatever pieces it comes")
    func separators() {
        for blank in Self.blanks {
            let line = Array("gEt".utf8) + blank + Array("/".utf8) + blank + Array("hTTp/1.1\r\n".utf8)
            #expect(finds([line]), "\(blank)")
            #expect(finds(line.map { [$0] }), "\(blank)")
            // Not a byte before the version is whole.
            let isSimple = finds([Array(line.prefix(4 + blank.count))])
            #expect(isSimple || !finds([Array(line.prefix { $0 != 0x70 })]), "\(blank)")
        }
    }

    @Test(
        "a request is found behind other words",
        arguments: [
            "\0GET / HTTP/1.1", "\u{1}\u{2}\r\nPOST /x HTTP/1.0", "EHLO a\r\nGET / HTTP/1.1",
            "{\"a\": 1}\nget / http/1.1",
            "<a>\n  GET / HTTP/1.1", "\u{5}\u{1}\0\u{3}\u{1}a\0PGET / HTTP/1.1",
            "\u{5}\u{1}\0\u{1}\n\0\0\u{1}\0/GET / HTTP/1.1",
            "\r\n\r\n\0\r\nQUIT\n!\u{11}\0\u{c}abcdabcd09\0PPRI * HTTP/2.0",
            "\u{10}\u{c}\0\u{4}MQTT\u{4}x HTTP/1.1",
            "\0\0GET /", "x\r\nGET \t/", "GET/ HTTP/1.1", "A\u{7f}/\u{7f}HTTP/1.1", "*1\r\n$4\r\nPING\r\nM / HTTP/1",
        ])
    func behind(text: String) {
        #expect(finds([Array(text.utf8)]))
        #expect(finds(text.utf8.map { [$0] }))
    }

    private static let noTokens = [
        "\"GET", "\\GET", "(GET", "{GET}", "@", "GET\"", "G;T", "=GET", "[x]", "<a>", "a:b", "/GET", "GE/T", "GE,T",
        "GE?T",
        "{\"a\":\"GET", "\"G\tET", "\"GÉT", "é\"", "\"G\u{1}T",
    ]

    @Test("whatever stands where a method should is one, with a line of three words", arguments: noTokens)
    func anyMethod(method: String) {
        for target in ["/", "/a?b=\"c\"", "http://a.test/", "*", "x"] {
            for blank in [" ", "  ", "\t", "\u{b} ", " \u{1c}"] {
                for end in ["HTTP/1.1\r\n", "http/1.0\n", "HTTP/1.1  \r\n", "HTTP/2\t\n"] {
                    let line = "\r\n" + [method, target, end].joined(separator: blank)
                    #expect(finds([Array(line.utf8)]), "\(line.debugDescription)")
                    #expect(finds(line.utf8.map { [$0] }))
                }
            }
        }
    }

    @Test(
        "where only the line's end is missing, it is undecided, and no longer than a version may be",
        arguments: noTokens)
    func undecided(method: String) {
        var watch = RequestWatch()
        func finds(_ text: String) -> Bool { Array(text.utf8).withUnsafeBytes { watch.finds(in: $0) } }
        guard !finds("\(method) x HTTP/1.1") else { return }
        #expect(watch.isUndecided)
        var other = watch
        #expect(finds(String(repeating: " ", count: 64)))
        #expect(!Array("\"} \n".utf8).withUnsafeBytes { other.finds(in: $0) } && !other.isUndecided)
    }

    @Test("behind a path nothing has to end the line, unless it may be a quotation")
    func behindPath() {
        #expect(finds([Array("(GET /x HTTP/1.1 y\r\n".utf8)]))
        #expect(finds([Array("[GET] /a b HTTP/1.1".utf8)]))
        #expect(!finds([Array("{\"m\":\"GET /x HTTP/1.1 200\"}\n".utf8)]))
    }

    @Test("to a server that is known to be of no HTTP, any text may be said that has no token for a method")
    func knownListener() {
        var watch = RequestWatch()
        watch.takesOnlyTokens = true
        func finds(_ text: String) -> Bool { Array(text.utf8).withUnsafeBytes { watch.finds(in: $0) } }
        #expect(!finds("Subject: Fix HTTP/2\r\nSee: /x HTTP/1.1\r\n") && !watch.isUndecided)
        #expect(finds("GET / HTTP/1.1"))
    }

    @Test(
        "what only tells of a request is none",
        arguments: [
            "{\"line\": \"GET / HTTP/1.1\"}\n", "{\"line\":\"GET / HTTP/1.1\"}\n", "\"GET / HTTP/1.1\" 200\n",
            "<m>GET / HTTP/1.1</m>\n",
            "<34>1 2026-11-20T00:00:00Z a b - - \"GET / HTTP/1.1\" 200\n",
            "SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n", "EHLO a.test\r\nMAIL FROM:<a@a.test>\r\n",
            "*2\r\n$3\r\nGET\r\n$1\r\n/\r\n",
            "<?xml version='1.0'?><stream:stream to='a.test' xmlns='http://etherx.jabber.org/streams'>",
            "\u{10}\u{c}\0\u{4}MQTT\u{4}\u{2}\0\u{3c}\0\0", "> GET / HTTP/1.1\r\n",
            "a HTTP\r\n/1.1", "NICK http\r\nUSER a 0 * :b\r\n",
        ])
    func quoted(text: String) {
        #expect(!finds([Array(text.utf8)]))
    }

    @Test("a request after the other side has spoken is found in the middle of a line")
    func turns() {
        var watch = RequestWatch()
        func finds(_ text: String) -> Bool { Array(text.utf8).withUnsafeBytes { watch.finds(in: $0) } }
        #expect(!finds("{\"a\": 1}"))
        #expect(!finds("GET / HTTP/1.1"))
        #expect(!finds("{"))
        watch.beginTurn()
        #expect(finds("GET / HTTP/1.1"))
    }

    @Test(
        "answers of HTTP are told by their beginning",
        arguments: [
            ("HTTP/1.1 200 OK\r\n", AnswerWatch.Answer.http), ("\r\n \thttp/0.9", .http), ("ICY 200 OK", .http),
            ("<!DOCTYPE HTML PUBLIC", .http), ("\n<HTML><head>", .http), ("\0\0\u{6}\u{4}\0\0\0\0\0", .http),
            ("HTTP", .undecided), ("", .undecided), ("\r\n", .undecided), ("<htm", .undecided), ("icy", .undecided),
            ("220 a ESMTP", .other), ("SSH-2.0-x", .other), ("<?xml", .other), ("<stream:stream>", .other),
            ("\0", .other), ("\u{5}\0", .other), ("xHTTP/1.1", .other), ("HTTQ", .other), ("+OK", .other),
            (String(repeating: "\n", count: 8_000), .http),
        ])
    func answers(text: String, answer: AnswerWatch.Answer) {
        var whole = AnswerWatch()
        #expect(Array(text.utf8).withUnsafeBytes { whole.look(at: $0) } == answer)
        guard text.utf8.first != 0 else { return }
        var piecewise = AnswerWatch()
        for byte in text.utf8 { [byte].withUnsafeBytes { _ = piecewise.look(at: $0) } }
        #expect(piecewise.answer == answer)
    }
}
