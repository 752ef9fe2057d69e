import HTTP2Engine
import HTTPWire
import Testing

/// One case of the h2spec suite (github.com/summerwind/h2spec 2.6, by its section numbers): the bytes that a client
/// sends, and the required reaction of a server. Restated from RFC 7541, RFC 9110 and RFC 9113.
struct ConformanceCase: Sendable, CustomTestStringConvertible {
    enum Requirement: Sendable {
        /// The first frame is a SETTINGS frame without acknowledgement.
        case settings
        case settingsAcknowledged
        case pingAcknowledged([UInt8])
        /// Like ``pingAcknowledged(_:)``, or the connection ends.
        case pingOrOver([UInt8])
        case answer(UInt32)
        /// DATA frames of these sizes.
        case data([Int])
        /// RST_STREAM or GOAWAY with one of these codes.
        case streamError([UInt32])
        /// GOAWAY with one of these codes.
        case connectionError([UInt32])
    }

    let section: String
    let name: String
    /// The client's bytes; the server writes its output after each piece.
    let steps: [[UInt8]]
    let demand: Requirement
    /// True if the steps contain the connection preface.
    var isBare = false

    var testDescription: String { "\(section): \(name)" }

    init(_ section: String, _ name: String, _ steps: [[UInt8]], _ demand: Requirement, isBare: Bool = false) {
        self.section = section
        self.name = name
        self.steps = steps
        self.demand = demand
        self.isBare = isBare
    }

    static let all = generic + genericHPACK + hpack + frameLayer + streamStates + frames + settings + windows + messages

    /// Returns the outcome of the case, with its bytes fed `piece` at a time.
    func outcome(piece: Int) throws -> ConformanceOutcome {
        let machine = try HTTP2Machine(role: .client)
        let server = AnsweringServer()
        machine.handler = server
        var output: [UInt8] = []
        if !isBare {
            give(Frames.preface + Frames.frame(4, 1, 0, []), to: machine)
            // The server's first frames are not part of the case.
            _ = written(machine)
        }
        for step in steps {
            for start in stride(from: 0, to: step.count, by: piece) {
                give(Array(step[start..<min(start + piece, step.count)]), to: machine)
            }
            output += written(machine)
        }
        return ConformanceOutcome(frames: Frames.parse(output), isFinished: machine.isFinished)
    }
}

/// The server's reaction.
struct ConformanceOutcome {
    let frames: [(type: UInt8, flags: UInt8, stream: UInt32, payload: [UInt8])]
    let isFinished: Bool

    func meets(_ demand: ConformanceCase.Requirement) -> Bool {
        switch demand {
        case .settings: frames.first.map { $0.type == 4 && $0.flags == 0 && $0.stream == 0 } ?? false
        case .settingsAcknowledged: frames.contains { $0.type == 4 && $0.flags == 1 && $0.payload.isEmpty }
        case .pingAcknowledged(let bytes): pings == [bytes] && !isFinished
        case .pingOrOver(let bytes): pings == [bytes] || isFinished
        case .answer(let stream): frames.contains { $0.type == 1 && $0.stream == stream } && !isFinished
        case .data(let counts): frames.filter { $0.type == 0 }.map(\.payload.count) == counts
        case .streamError(let codes): resets.contains(where: codes.contains) || endsConnection(codes)
        case .connectionError(let codes): endsConnection(codes)
        }
    }

    private var pings: [[UInt8]] { frames.filter { $0.type == 6 && $0.flags == 1 }.map(\.payload) }

    private var resets: [UInt32] { frames.filter { $0.type == 3 }.map { code($0.payload[...]) } }

    private func endsConnection(_ codes: [UInt32]) -> Bool {
        isFinished && frames.contains { $0.type == 7 && codes.contains(code($0.payload[4..<8])) }
    }

    private func code(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }
}

/// Answers every complete request with five bytes.
private final class AnsweringServer: HTTP2Handler, HTTP2StreamHandler {
    private var isToHead: [Int32: Bool] = [:]

    func opened(_ request: HTTP2Request, _ stream: HTTP2Stream) {
        stream.handler = self
        isToHead[stream.id] = request.head.method == .head
    }

    func ended(_ stream: HTTP2Stream, trailers: FieldBlock?) {
        let isToHead = isToHead[stream.id] ?? false
        stream.answer(ResponseHead(status: 200, reason: "", framing: .fixed(5)), endsStream: isToHead)
        guard !isToHead else { return }
        stream.send(Array("hello".utf8))
        stream.finish()
    }

    func received(_ bytes: UnsafeRawBufferPointer, on stream: HTTP2Stream) { stream.consume(bytes.count) }
    func peerChangedSettings(_ machine: HTTP2Machine) {}
    func peerIsLeaving(_ machine: HTTP2Machine, code: UInt32) {}
    func answered(_ head: ResponseHead, endsStream: Bool, on stream: HTTP2Stream) {}
    func drained(_ count: Int, from stream: HTTP2Stream) {}
    func closed(_ stream: HTTP2Stream, _ end: HTTP2StreamEnd) {}
}
