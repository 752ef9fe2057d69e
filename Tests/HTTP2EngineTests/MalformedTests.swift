import HTTP2Engine
import HTTPWire
import Testing

/// One message that must never become an event.
struct Malformed: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let fields: [([UInt8], [UInt8])]

    init(_ name: String, _ pairs: [(String, String)]) {
        self.init(raw: name, pairs.map { (Array($0.0.utf8), Array($0.1.utf8)) })
    }

    init(raw name: String, _ fields: [([UInt8], [UInt8])]) {
        testDescription = name
        self.fields = fields
    }

    /// A valid request with one more field.
    static func request(with name: String, _ value: String) -> Malformed {
        Malformed("\(name): \(value)".debugDescription, Frames.get + [(name, value)])
    }

    /// A valid request with one pseudo-header field changed or omitted.
    static func request(changing name: String, to value: String?) -> Malformed {
        Malformed(
            "\(name) \(value?.debugDescription ?? "missing")",
            Frames.get.compactMap { $0.0 == name ? value.map { (name, $0) } : $0 })
    }

    static let fieldNames = ["X-Upper", "", "a b", "a:b", "a\r\nb", "a\u{0}", "é", ":unknown", "a\t"]
    static let fieldValues = ["a\rb", "a\nb", "a\u{0}b", "\u{1}", "\u{7f}", " a", "a ", "\ta"]
    static let connectionFields = [
        ("connection", "close"), ("connection", ""), ("keep-alive", "1"), ("proxy-connection", "x"),
        ("transfer-encoding", "chunked"), ("upgrade", "h2c"), ("te", "gzip"), ("te", "trailers, gzip"),
    ]

    static let common: [(String, String)] =
        fieldNames.map { ($0, "x") } + fieldValues.map { ("x", $0) } + connectionFields
        + [("content-length", "-1"), ("content-length", "1, 1"), ("content-length", "x"), ("content-length", "")]

    static let requests: [Malformed] =
        common.map { .request(with: $0.0, $0.1) }
        + [
            .request(with: ":status", "200"), .request(with: ":path", "/again"), .request(with: ":method", "GET"),
            .request(with: ":protocol", "websocket"), .request(with: "host", "b.test"),
            .request(with: "host", "a.test@b"), .request(with: "content-length", "3"),
            .request(changing: ":method", to: nil), .request(changing: ":method", to: ""),
            .request(changing: ":method", to: "G T"), .request(changing: ":method", to: "CONNECT"),
            .request(changing: ":scheme", to: nil), .request(changing: ":scheme", to: "ht tp"),
            .request(changing: ":scheme", to: ""), .request(changing: ":authority", to: nil),
            .request(changing: ":path", to: nil),
        ]
        + ["", "x", "*", "/a b", "/\t", "/\r\n", "/\u{0}", "/#f", "/é", "http://a/", "?q"].map {
            .request(changing: ":path", to: $0)
        }
        + ["", "u@a.test", "a.test:x", "a.test:0", "a.test:65536", "a test", "a/b", "a?b", "[::1", "a%20", "a\\b"].map {
            .request(changing: ":authority", to: $0)
        }
        + [
            Malformed("late", [("x", "y")] + Frames.get),
            Malformed("in between", Frames.get.prefix(3) + [("x", "y")] + Frames.get.suffix(1)),
            Malformed("two lengths", Frames.get + [("content-length", "0"), ("content-length", "0")]),
            Malformed("connect without a port", [(":method", "CONNECT"), (":authority", "a.test")]),
            Malformed("connect without authority", [(":method", "CONNECT"), ("host", "a.test:1")]),
            Malformed("nothing", []),
            Malformed(
                "path of another scheme",
                [
                    (":method", "GET"), (":scheme", "ftp"), (":authority", "a"), (":path", "a"),
                ]),
            Malformed(raw: "Latin-1 in a name", [([0xE9], [0x78])]),
        ]

    static let responses: [Malformed] =
        common.map { Malformed("\($0.0): \($0.1)".debugDescription, [(":status", "200"), $0]) }
        + ["", "20", "2000", "abc", "101", "099", "000", "-10", "20x"].map {
            Malformed("status \($0)", [(":status", $0)])
        }
        + [
            Malformed("no status", [("a", "b")]), Malformed("twice", [(":status", "200"), (":status", "200")]),
            Malformed("late", [("a", "b"), (":status", "200")]),
            Malformed("path", [(":status", "200"), (":path", "/")]),
            Malformed("length", [(":status", "200"), ("content-length", "3")]),
            Malformed("interim that ends", [(":status", "103")]),
            Malformed("length in 103", [(":status", "103"), ("content-length", "1")]),
        ]
}

@Suite("malformed messages")
struct MalformedTests {
    @Test("a malformed request resets its stream and is never an event", arguments: Malformed.requests)
    func request(_ message: Malformed) throws {
        let (machine, ear) = try gate()
        give(Frames.frame(1, 5, 1, Frames.block(message.fields)), to: machine)
        give(Frames.headers(3, Frames.get), to: machine)
        let output = written(machine)
        #expect(Frames.resets(in: output) == [1: 1])
        #expect(ear.requests.keys.sorted() == [3])
        #expect(ear.lines.allSatisfy { !$0.hasPrefix("1 ") })
        #expect(machine.state == .alive && machine.activeStreams == 1)
    }

    @Test("a malformed response resets its stream and is never an event", arguments: Malformed.responses)
    func response(_ message: Malformed) throws {
        let (machine, ear) = try asking(2)
        give(Frames.frame(1, 5, 1, Frames.block(message.fields)), to: machine)
        give(Frames.headers(3, [(":status", "204")]), to: machine)
        let output = written(machine)
        #expect(Frames.resets(in: output) == [1: 1])
        #expect(ear.answers.keys.sorted() == [3])
        #expect(ear.ends == [1: .reset(code: 1), 3: .done])
        #expect(machine.state == .alive)
    }

    @Test(
        "pseudo-header fields, connection fields and bad bytes are malformed in trailers as well",
        arguments: [true, false])
    func trailers(isRequest: Bool) throws {
        let wrong = [(":path", "/"), (":status", "200"), ("connection", "x"), ("X", "y"), ("x", "\n"), (":x", "")]
        for field in wrong {
            let (machine, ear) = isRequest ? try gate() : try asking(1)
            let head = isRequest ? Frames.get : [(":status", "200")]
            give(Frames.headers(1, head, ends: false) + Frames.data(1, [1, 2]), to: machine)
            give(Frames.headers(1, [field]), to: machine)
            #expect(Frames.resets(in: written(machine)) == [1: 1], "\(field)")
            #expect(ear.bodies[1] == [1, 2] && ear.ends[1] == .reset(code: 1))
            #expect(!ear.lines.contains { $0.contains("ended") })
        }
    }

    @Test("trailers that do not end the stream are malformed")
    func openTrailers() throws {
        let (machine, ear) = try gate()
        give(Frames.headers(1, Frames.get, ends: false) + Frames.headers(1, [("a", "b")], ends: false), to: machine)
        #expect(Frames.resets(in: written(machine)) == [1: 1])
        #expect(ear.trailers.isEmpty)
    }

    @Test("a body must be as long as its Content-Length", arguments: [true, false], [[2], [4], [1, 2, 1], [0]])
    func length(isRequest: Bool, pieces: [Int]) throws {
        let (machine, ear) = isRequest ? try gate() : try asking(1)
        let head = (isRequest ? Frames.get : [(":status", "200")]) + [("content-length", "3")]
        give(Frames.headers(1, head, ends: false), to: machine)
        for (index, piece) in pieces.enumerated() {
            give(Frames.data(1, [UInt8](repeating: 1, count: piece), ends: index == pieces.count - 1), to: machine)
        }
        #expect(Frames.resets(in: written(machine)) == [1: 1])
        #expect(ear.ends[1] == .reset(code: 1))
        #expect(!ear.lines.contains { $0.contains("ended") })
        #expect((ear.bodies[1]?.count ?? 0) <= 3)
    }

    @Test("DATA for a response without a body, or before the final head, is malformed")
    func bodyWithoutOne() throws {
        let (machine, ear) = try asking(2, .head)
        give(Frames.headers(1, [(":status", "200")], ends: false) + Frames.data(1, [1], ends: true), to: machine)
        #expect(Frames.resets(in: written(machine)) == [1: 1])
        give(Frames.headers(3, [(":status", "103")], ends: false) + Frames.data(3, [1]), to: machine)
        #expect(Frames.resets(in: written(machine)) == [3: 1])
        #expect(ear.bodies.isEmpty)
    }

    @Test("a head may be as large as the limits, and not larger", arguments: [true, false])
    func largeHeads(isOver: Bool) throws {
        var limits = HTTP2Limits()
        limits.fieldCount = 10
        limits.headerListBytes = 1_000
        let (machine, ear) = try gate(limits)
        let many = (0..<(isOver ? 7 : 6)).map { ("x\($0)", "y") }
        give(Frames.headers(1, Frames.get + many), to: machine)
        // As RFC 9113 section 6.5.2 counts: 42 + 44 + 48 + 38, and 33 for this one's name.
        let used = Frames.get.reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count + 32 }
        let value = String(repeating: "v", count: 1_000 - used - 33 + (isOver ? 1 : 0))
        give(Frames.headers(3, Frames.get + [("x", value)]), to: machine)
        give(Frames.headers(5, Frames.get), to: machine)
        #expect(Frames.resets(in: written(machine)) == (isOver ? [1: 11, 3: 11] : [:]))
        #expect(ear.requests.keys.sorted() == (isOver ? [5] : [1, 3, 5]))
    }

    @Test("a Host that equals :authority is merged with it; without :authority it is sufficient")
    func host() throws {
        let (machine, ear) = try gate()
        give(Frames.headers(1, Frames.get + [("host", "A.TEST"), ("x", "y")]), to: machine)
        give(Frames.headers(3, Frames.get.filter { $0.0 != ":authority" } + [("x", "y"), ("host", "b")]), to: machine)
        #expect(text(try #require(ear.requests[1]).head.fields) == ["  Host=a.test", "  x=y"])
        #expect(text(try #require(ear.requests[3]).head.fields) == ["  x=y", "  Host=b"])
    }

    @Test("discarded DATA is credited to the connection's window")
    func windowAfterMalformed() throws {
        var limits = HTTP2Limits()
        limits.connectionWindowBytes = 65_535
        limits.resets = .init(burst: 1_000, perSecond: 0)
        let (machine, _) = try gate(limits)
        var given = 0
        var returned = 0
        for number in 0..<100 {
            let id = UInt32(number * 2 + 1)
            let block = Frames.get + [("content-length", "1")]
            give(
                Frames.headers(id, block, ends: false) + Frames.data(id, [UInt8](repeating: 0, count: 16_384)),
                to: machine)
            given += 16_384
            for frame in Frames.parse(written(machine)) where frame.type == 8 && frame.stream == 0 {
                returned += frame.payload.reduce(0) { $0 << 8 | Int($1) }
            }
        }
        #expect(machine.state == .alive)
        #expect(given - returned < 65_535)
    }
}

/// A machine for the app, past its preface.
func gate(_ limits: HTTP2Limits = HTTP2Limits()) throws -> (HTTP2Machine, EventLog) {
    let machine = try HTTP2Machine(role: .client, limits: limits)
    let ear = EventLog()
    machine.handler = ear
    give(Frames.preface + Frames.frame(4, 1, 0, []), to: machine)
    _ = written(machine)
    return (machine, ear)
}

/// A machine for an origin that has sent `count` requests.
func asking(
    _ count: Int, _ method: Method = .get, limits: HTTP2Limits = HTTP2Limits()
) throws -> (HTTP2Machine, EventLog) {
    let machine = try HTTP2Machine(role: .origin, limits: limits)
    let ear = EventLog()
    machine.handler = ear
    give(Frames.settings() + Frames.frame(4, 1, 0, []), to: machine)
    for _ in 0..<count {
        let head = RequestHead(method: method, target: .path("/"), fields: fields([("Host", "a.test")]))
        let stream = machine.open(HTTP2Request(head: head, scheme: "https", endsStream: true), handler: ear)
        #expect(stream != nil)
    }
    _ = written(machine)
    return (machine, ear)
}
