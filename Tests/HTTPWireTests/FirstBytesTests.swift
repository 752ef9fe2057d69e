import HTTPWire
import Seeded
import Testing

/// The first bytes of a tunnel and what they are.
struct Opening: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let answer: FirstBytes

    var testDescription: String { String(decoding: bytes.prefix(40), as: UTF8.self).debugDescription }

    init(_ text: String, _ answer: FirstBytes) { self.init(Array(text.utf8), answer) }

    init(_ bytes: [UInt8], _ answer: FirstBytes) {
        self.bytes = bytes
        self.answer = answer
    }

    static let all = requests + records + foreign + unclear

    private static let methods = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "PROPFIND", "REPORT", "QUERY",
        "M-SEARCH", "VERSION-CONTROL", "get", "gEt", "x", "!#$%&'*+-.^_`|~", "A1",
    ]

    private static let requests =
        methods.map { Opening("\($0) / HTTP/1.1\r\nHost: a\r\n\r\n", .http) }
        + ["\r\n", "\n", "\r\n\r\n\r\n", " ", "\t", "\u{b}\u{c}", "\r"].map {
            Opening("\($0)GET / HTTP/1.1\r\n", .http)
        }
        + ["\t", "  ", "\u{b}", "\u{c}", "\r"].map { Opening("GET\($0)/\($0)HTTP/1.1\r\n", .http) }
        + [
            Opening("GET /\r\n", .http), Opening("PRI * HTTP/1.1\r\n", .http),
            Opening("PRI * HTTP/2.0\r\n\r\nSX", .http),
            Opening("\r\nPRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .http), Opening("EHLO / HTTP/1.1\r\n", .http),
            Opening("SSH-2.0-x / http/1.1\r\n", .http), Opening("a1 LOGIN HTTP/1.0\n", .http),
            Opening("A1 /login\r\n", .http), Opening("A1 LOGINS x\r\n", .http),
            Opening("USER " + String(repeating: "u", count: 600), .http),
            Opening(String(repeating: "\r\n", count: 4_001), .http),
            Opening(String(repeating: "M", count: 7_999) + " /", .http),
            Opening(String(repeating: "M", count: 8_001) + " / HTTP/1.1\r\n", .http),
            Opening("PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\nGET / HTTP/1.1\r\n", .http),
            Opening("\r\n\r\n\0\r\nQUIT\n\u{21}\u{11}", .http),
        ]
        + ["\r\n", "\n", " "].flatMap { blank in
            [7_990, 7_996, 7_997, 7_998, 7_999, 8_000, 16_000].map { count in
                let blanks = String(repeating: blank, count: count / blank.utf8.count)
                return Opening(blanks + "GET / HTTP/1.1\r\n", .http)
            }
        }
        + ([0x1C, 0x1D, 0x1E, 0x1F, 0x85, 0xA0] as [UInt8]).flatMap { blank in
            [
                Opening(Array("GET".utf8) + [blank] + Array("/".utf8) + [blank] + Array("HTTP/1.1\r\n".utf8), .http),
                Opening([blank, blank, blank] + Array("GET / HTTP/1.1\r\n".utf8), .http),
            ]
        }

    private static let records = [
        Opening([0x16, 0x03, 0x01, 0x02, 0x00, 0x01], .tls), Opening([0x16], .tls),
        Opening([0x15, 0x03, 0x01, 0x00, 0x02, 0x01, 0x00], .tls), Opening([0x14, 0x03, 0x03, 0x00, 0x01, 0x01], .tls),
        Opening([0x80, 0x2E, 0x01, 0x03, 0x01, 0x00, 0x15], .tls), Opening([0x80, 0x2E, 0x01, 0x00, 0x02], .tls),
        Opening([0x15], .tls), Opening([0x15, 0x04, 0x03, 0x00, 0x02, 0x01, 0x5A], .tls), Opening([0x18, 0x00], .tls),
        Opening([0x17, 0x00, 0x01], .tls), Opening([0x80, 0x2E, 0x01, 0x03, 0x05], .tls),
        Opening([0x80, 0x2E, 0x01, 0x03, 0xFF], .tls), Opening([0xFF, 0xFE, 0x01], .tls),
        Opening("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u{4}\0\0\0\0\0", .http2),
    ]

    private static let foreign =
        [
            "EHLO a.test\r\n", "helo a\n", "USER anonymous\r\n", "NICK me\r\n", "CAP LS 302\r\n", "AUTH TLS\r\n",
            "a001 LOGIN me secret\r\n", "A1 capability\r\n", "1 STARTTLS\r\n", "MODE READER\r\n",
            "USER anon/ymous\r\n",
        ].map { Opening($0, .other(.command)) }
        + ["SSH-2.0-OpenSSH_9.2p1\r\n", "SSH-2.0-x(y)\r\n", "SSH-2.0-OpenSSH_9.2p1 Debian\r\n", "SSH-1.99-x\n"].map {
            Opening($0, .other(.ssh))
        }
        + ["STARTTLS\r\n", "QUIT\n", "*1\r\n$4\r\nPING\r\n", "<?xml", "\u{7b}}", "key=1", "\r\n:x", "a\"b"].map {
            Opening($0, .other(.text))
        }
        + [
            [0x00], [0x10, 0x0C, 0x00, 0x04], [0x13, 0x03], [0x19, 0x03], [0x80, 0x2E, 0x02], [0xFF, 0xFE, 0x41],
            [0x41, 0x42, 0x00], [0x41, 0xC3, 0xA9],
            [0x7F],
        ].map { Opening($0, .other(.binary)) }

    private static let unclear =
        [
            "", "G", "GE", "GET", "get", "PROPFIND", "\r", "\r\n", "\r\n\r\nGET", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r",
            "GET\r", "EHLO a.test", "SSH-2.0-x y", "a001 LOGIN me", String(repeating: "M", count: 7_999),
            String(repeating: "\n", count: 7_999), String(repeating: "\n", count: 7_999) + "GET", "\r\n\r\n",
        ].map { Opening($0, .undecided) }
        + [[0x80], [0x80, 0x2E]].map { Opening($0, .undecided) }
}

@Suite("first bytes of a tunnel")
struct FirstBytesTests {
    @Test("every beginning of them is undecided or gets the answer of the whole", arguments: Opening.all)
    func everySplit(opening: Opening) {
        #expect(sorted(opening.bytes[...]) == opening.answer)
        var last = FirstBytes.undecided
        // Long ones are a row of the same bytes: all cuts of their ends will do.
        let cuts = (0...opening.bytes.count).filter { $0 < 600 || $0 > 7_990 && $0 < 8_020 || $0 > 15_990 }
        for end in cuts {
            let answer = sorted(opening.bytes[..<end])
            if last == .undecided { last = answer }
            #expect(answer == last, "\(end) bytes")
        }
        #expect(last == opening.answer)
    }

    @Test("an answer stands whatever follows", arguments: Opening.all.filter { $0.answer != .undecided })
    func anyTail(opening: Opening) {
        for tail in [[0], Array(" / HTTP/1.1\r\n".utf8), [0x16, 3, 1], [0x0A], [UInt8](repeating: 0x41, count: 9_000)] {
            #expect(sorted((opening.bytes + tail)[...]) == opening.answer)
        }
    }

    @Test("random bytes are never decided twice", arguments: [1, 2, 3] as [UInt64])
    func randomBytes(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let telling = Array("GETPRI SH-20u\r\n\t/*.:\u{3}\u{1}\u{16}\u{15}".utf8) + [0x00, 0x80, 0xFF]
        for round in 0..<2_000 {
            let count = Int.random(in: 1...30, using: &generator)
            let bytes = (0..<count).map { _ in telling.randomElement(using: &generator) ?? 0 }
            let whole = sorted(bytes[...])
            for end in 0..<count {
                let answer = sorted(bytes[..<end])
                #expect(answer == .undecided || answer == whole, "seed \(seed), round \(round): \(bytes)")
            }
        }
    }

    @Test("nothing stays undecided for longer than the longest request line")
    func bounded() {
        for byte in UInt8.min...UInt8.max {
            #expect(sorted([UInt8](repeating: byte, count: FirstBytes.longestToken)[...]) != .undecided)
            let line = Array("USER ".utf8) + [UInt8](repeating: byte, count: FirstBytes.longestCommand)
            #expect(sorted(line[...]) != .undecided)
        }
    }

    private func sorted(_ bytes: ArraySlice<UInt8>) -> FirstBytes { bytes.withUnsafeBytes { FirstBytes($0) } }
}
