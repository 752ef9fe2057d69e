import Bytes
import HTTP2Engine
import HTTPWire

/// Records all events of one machine.
final class EventLog: HTTP2Handler, HTTP2StreamHandler {
    var lines: [String] = []
    var streams: [Int32: HTTP2Stream] = [:]
    var requests: [Int32: HTTP2Request] = [:]
    var answers: [Int32: ResponseHead] = [:]
    var trailers: [Int32: FieldBlock] = [:]
    var bodies: [Int32: [UInt8]] = [:]
    var ends: [Int32: HTTP2StreamEnd] = [:]
    var drainedBytes: [Int32: Int] = [:]
    var rejected: [HTTP2RejectedRequest] = []
    var goAwayCode: UInt32?
    /// True to return the credit of received bytes immediately.
    var consumes = true
    /// Called for each request.
    var onRequest: ((HTTP2Request, HTTP2Stream) -> Void)?
    var onBody: ((UnsafeRawBufferPointer, HTTP2Stream) -> Void)?
    var onDrained: ((HTTP2Stream) -> Void)?
    var onEnd: ((HTTP2Stream) -> Void)?

    func opened(_ request: HTTP2Request, _ stream: HTTP2Stream) {
        stream.handler = self
        streams[stream.id] = stream
        requests[stream.id] = request
        let mark = request.protocolName.map { " protocol \($0)" } ?? ""
        lines.append(
            "\(stream.id) \(request.head.method.name) \(request.scheme) \(request.head.target) "
                + "\(request.head.framing)\(mark)\(request.endsStream ? " ends" : "")")
        lines += text(request.head.fields)
        onRequest?(request, stream)
    }

    func rejected(_ request: HTTP2RejectedRequest) { rejected.append(request) }

    func peerChangedSettings(_ machine: HTTP2Machine) { lines.append("settings") }

    func peerIsLeaving(_ machine: HTTP2Machine, code: UInt32) {
        goAwayCode = code
        lines.append("leaving \(code)")
    }

    func answered(_ head: ResponseHead, endsStream: Bool, on stream: HTTP2Stream) {
        answers[stream.id] = head
        lines.append("\(stream.id) \(head.status) \(head.framing)\(endsStream ? " ends" : "")")
        lines += text(head.fields)
    }

    func received(_ bytes: UnsafeRawBufferPointer, on stream: HTTP2Stream) {
        bodies[stream.id, default: []] += bytes
        if consumes { stream.consume(bytes.count) }
        onBody?(bytes, stream)
    }

    func ended(_ stream: HTTP2Stream, trailers: FieldBlock?) {
        if let trailers { self.trailers[stream.id] = trailers }
        lines.append("\(stream.id) ended after \(bodies[stream.id]?.count ?? 0)")
        if let trailers { lines += text(trailers) }
        onEnd?(stream)
    }

    func drained(_ count: Int, from stream: HTTP2Stream) {
        drainedBytes[stream.id, default: 0] += count
        onDrained?(stream)
    }

    func closed(_ stream: HTTP2Stream, _ end: HTTP2StreamEnd) {
        lines.append("\(stream.id) closed \(end)")
        ends[stream.id] = end
    }
}

/// The fields of a block, one per line.
func text(_ fields: FieldBlock) -> [String] {
    var lines: [String] = []
    fields.forEach { name, value, _ in
        lines.append("  \(String(decoding: name, as: UTF8.self))=\(String(decoding: value, as: UTF8.self))")
    }
    return lines
}

func fields(_ pairs: [(String, String)]) -> FieldBlock {
    var fields = FieldBlock()
    for (name, value) in pairs { fields.append(name, value) }
    return fields
}

/// An HTTP/2 client machine wired to a server machine.
final class Pair {
    let app: HTTP2Machine
    let server: HTTP2Machine
    let appEar = EventLog()
    let serverEar = EventLog()

    init(app appLimits: HTTP2Limits = HTTP2Limits(), server serverLimits: HTTP2Limits = HTTP2Limits()) throws {
        app = try HTTP2Machine(role: .origin, limits: appLimits, via: "app")
        server = try HTTP2Machine(role: .client, limits: serverLimits, via: "gate")
        app.handler = appEar
        server.handler = serverEar
        carry()
    }

    /// Carries bytes in both directions until no byte moves, at most `piece` at a time.
    func carry(piece: Int = .max) {
        while app.wantsToWrite || server.wantsToWrite {
            let before = moved
            move(app, to: server, piece)
            move(server, to: app, piece)
            if moved == before { return }
        }
    }

    private var moved = 0

    private func move(_ sender: HTTP2Machine, to receiver: HTTP2Machine, _ piece: Int) {
        let queue = ByteQueue()
        sender.write(to: queue, upTo: 65_536)
        moved += queue.count
        while !queue.isEmpty {
            let count = min(piece, queue.count)
            receiver.receive(UnsafeRawBufferPointer(rebasing: queue.bytes[..<count]))
            queue.consume(count)
        }
    }

    @discardableResult
    func request(
        _ method: Method = .get, _ path: String = "/", _ pairs: [(String, String)] = [("Host", "a.test")],
        framing: BodyFraming = .none, body: [UInt8]? = nil, trailers: FieldBlock? = nil
    ) -> HTTP2Stream? {
        let head = RequestHead(method: method, target: .path(path), fields: fields(pairs), framing: framing)
        let ends = body == nil && trailers == nil && framing == .none
        let stream = app.open(HTTP2Request(head: head, scheme: "https", endsStream: ends), handler: appEar)
        if let body {
            stream?.send(body)
            stream?.finish(trailers: trailers)
        } else if let trailers {
            stream?.finish(trailers: trailers)
        }
        return stream
    }
}

/// The waiting output of a machine.
func written(_ machine: HTTP2Machine) -> [UInt8] {
    let queue = ByteQueue()
    machine.write(to: queue, upTo: .max)
    return Array(queue.bytes)
}

func give(_ bytes: [UInt8], to machine: HTTP2Machine) { bytes.withUnsafeBytes { machine.receive($0) } }

extension HTTP2Stream {
    func send(_ bytes: [UInt8]) { bytes.withUnsafeBytes { send($0) } }
}
