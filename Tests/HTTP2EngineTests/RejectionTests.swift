import HTTP2Engine
import HTTPWire
import Testing

@Suite("requests that are never opened")
struct RejectionTests {
    /// An invalid request and its fault.
    struct Wrong: Sendable, CustomTestStringConvertible {
        let fields: [(String, String)]
        let fault: HTTP2MessageFault

        var testDescription: String { "\(fault)" }

        init(_ more: [(String, String)], _ fault: HTTP2MessageFault) {
            fields = Frames.get + more
            self.fault = fault
        }

        init(changing name: String, to value: String?, _ fault: HTTP2MessageFault) {
            fields = Frames.get.compactMap { $0.0 == name ? value.map { (name, $0) } : $0 }
            self.fault = fault
        }
    }

    static let wrongs = [
        Wrong([("X-Upper", "x")], .upperCaseName), Wrong([("x", "a ")], .blankAroundValue),
        Wrong([("x", "\ta")], .blankAroundValue), Wrong([("connection", "close")], .connectionField),
        Wrong([("te", "gzip")], .connectionField), Wrong([("upgrade", "h2c")], .connectionField),
        Wrong([("a b", "x")], .wire(.badFieldName)), Wrong([("x", "\u{1}")], .wire(.badFieldValue)),
        Wrong([("x", "\u{0}")], .wire(.nulByte)), Wrong([("host", "b.test")], .wire(.badHost)),
        Wrong([(":unknown", "x")], .unknownPseudoField),
        Wrong([(":status", "200")], .unknownPseudoField),
        Wrong([(":protocol", "websocket")], .unknownPseudoField),
        Wrong([("x", "y"), (":path", "/")], .latePseudoField),
        Wrong([(":path", "/")], .repeatedPseudoField),
        Wrong(changing: ":method", to: nil, .missingPseudoField),
        Wrong(changing: ":scheme", to: nil, .missingPseudoField),
        Wrong(changing: ":path", to: nil, .missingPseudoField),
        Wrong(changing: ":authority", to: nil, .missingPseudoField),
        Wrong(changing: ":path", to: "a b", .badPseudoField),
        Wrong(changing: ":authority", to: "u@a.test", .badPseudoField),
        Wrong(changing: ":method", to: "G T", .badPseudoField),
        Wrong([("content-length", "x")], .wire(.badLength)),
        Wrong([("content-length", "1"), ("content-length", "1")], .wire(.conflictingLengths)),
        Wrong([("content-length", "3")], .contradictedLength),
        Wrong(
            [String](repeating: String(repeating: "v", count: 33_000), count: 2).map { ("x", $0) }, .wire(.headTooLarge)
        ),
        Wrong((0..<300).map { ("x\($0)", "") }, .wire(.tooManyFields)),
        Wrong([(String(repeating: "N", count: 100), "")], .upperCaseName),
    ]

    @Test("each invalid request is reported once, with its fault and its readable parts", arguments: wrongs)
    func told(_ wrong: Wrong) throws {
        let (machine, ear) = try gate()
        give(heads(1, wrong.fields), to: machine)
        give(Frames.headers(3, Frames.get), to: machine)
        _ = written(machine)
        let rejected = try #require(ear.rejected.first)
        #expect(ear.rejected.count == 1 && rejected.streamID == 1)
        #expect(rejected.fault == wrong.fault)
        #expect(rejected.fault.sentence.hasSuffix("."))
        func sent(_ name: String) -> String? { wrong.fields.first { $0.0 == name }?.1 }
        #expect(rejected.method == sent(":method") && rejected.scheme == sent(":scheme"))
        #expect(rejected.authority == sent(":authority") && rejected.path == sent(":path"))
        #expect(ear.requests.keys.sorted() == [3] && ear.ends[1] == nil)
    }

    /// HEADERS, followed by CONTINUATION frames if necessary.
    private func heads(_ stream: UInt32, _ fields: [(String, String)]) -> [UInt8] {
        let block = Frames.block(fields.map { (Array($0.0.utf8), Array($0.1.utf8)) })
        let pieces = stride(from: 0, to: block.count, by: 16_384).map {
            Array(block[$0..<min($0 + 16_384, block.count)])
        }
        return pieces.enumerated().flatMap { index, piece in
            Frames.frame(index == 0 ? 1 : 9, (index == 0 ? 1 : 0) | (index == pieces.count - 1 ? 4 : 0), stream, piece)
        }
    }

    @Test("a body that contradicts a length of 0 is reported before the request is opened")
    func contradictedZero() throws {
        let (machine, ear) = try gate()
        let head = Frames.get + [("content-length", "0")]
        give(Frames.headers(1, head, ends: false), to: machine)
        #expect(ear.requests.isEmpty && ear.rejected.isEmpty && machine.activeStreams == 1)
        give(Frames.data(1, []) + Frames.data(1, [1], ends: true), to: machine)
        #expect(Frames.resets(in: written(machine)) == [1: 1])
        #expect(ear.rejected.map(\.fault) == [.contradictedLength] && ear.rejected.first?.path == "/")
        #expect(ear.requests.isEmpty && ear.bodies.isEmpty && machine.activeStreams == 0)
    }

    @Test("a request with a length of 0 is opened after its end has arrived", arguments: [true, false])
    func trueZero(hasTrailers: Bool) throws {
        let (machine, ear) = try gate()
        give(Frames.headers(1, Frames.get + [("content-length", "0")], ends: false), to: machine)
        give(hasTrailers ? Frames.headers(1, [("a", "b")]) : Frames.data(1, [], ends: true), to: machine)
        #expect(ear.requests[1]?.endsStream == !hasTrailers && ear.requests[1]?.head.framing == .fixed(0))
        #expect(ear.lines.filter { $0.hasPrefix("1 ended") }.count == 1)
        #expect((ear.trailers[1] != nil) == hasTrailers && ear.rejected.isEmpty)
    }

    @Test("a request that is abandoned before it was opened is reported as incomplete", arguments: [0, 1, 2])
    func incomplete(way: Int) throws {
        let (machine, ear) = try gate()
        give(Frames.headers(1, Frames.get + [("content-length", "0")], ends: false), to: machine)
        switch way {
        case 0: give(Frames.reset(1), to: machine)
        case 1: give(Frames.data(0, [1]), to: machine)
        default: machine.shutDown(.enhanceYourCalm)
        }
        #expect(ear.rejected.map(\.fault) == [.incomplete])
        #expect(machine.activeStreams == 0 && ear.ends.isEmpty)
    }

    @Test("a fault after the opening is reported by the stream itself")
    func later() throws {
        let (machine, ear) = try gate()
        give(Frames.headers(1, Frames.get, ends: false) + Frames.headers(1, [("X", "y")]), to: machine)
        give(Frames.headers(3, Frames.get, ends: false) + Frames.windowUpdate(3, .max >> 1), to: machine)
        give(Frames.headers(5, Frames.get, ends: false) + Frames.reset(5), to: machine)
        _ = written(machine)
        #expect(ear.rejected.isEmpty && ear.ends.keys.sorted() == [1, 3, 5])
        #expect(ear.streams[1]?.fault == .upperCaseName)
        #expect(ear.streams[3]?.fault == .brokenFrame)
        #expect(ear.streams[5]?.fault == nil)
    }

    @Test("streams over the limit are not reported, because the client repeats them")
    func refused() throws {
        var limits = HTTP2Limits()
        limits.concurrentStreams = 1
        let machine = try HTTP2Machine(role: .client, limits: limits)
        let ear = EventLog()
        machine.handler = ear
        give(Frames.preface + Frames.headers(1, Frames.get) + Frames.headers(3, Frames.get), to: machine)
        #expect(Frames.resets(in: written(machine)) == [3: 7] && ear.rejected.isEmpty)
    }
}
