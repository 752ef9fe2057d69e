import Bytes
import HTTP2Engine
import HTTPWire

/// Feeds the fuzzer's input to a machine, whole and byte by byte: the heads must be equal, every stream must end once,
/// and no input may trap. If one of the two ends the connection earlier, it may receive fewer heads: a frame for a
/// reset stream is an error before RST_STREAM is written and is ignored after (RFC 9113 section 5.1).
///
/// The first byte selects the kind of input: bit 0 an origin's side, bit 1 an input without the preface, bit 2 handlers
/// that answer, reset and shut down during the run, bit 3 small limits, so that floods fit the input. A request is
/// opened or rejected, once, and no response has more interim responses than allowed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTTP2Engine(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let bytes = UnsafeRawBufferPointer(start: start + 1, count: count - 1)
    let whole = Listener(kind: start[0]).outcome(of: bytes, piece: max(bytes.count, 1))
    let single = Listener(kind: start[0]).outcome(of: bytes, piece: 1)
    let isSame = zip(whole.heads, single.heads).allSatisfy { $0 == $1 }
    let isComplete = whole.heads.count == single.heads.count || whole.isFinished || single.isFinished
    guard start[0] & 4 != 0 || isSame && isComplete else { fatalError("byte by byte differs: \(whole), \(single)") }
    return 0
}

private final class Listener: HTTP2Handler, HTTP2StreamHandler {
    private let machine: HTTP2Machine
    private let isServer: Bool
    private let meddles: Bool
    private let leavesPrefaceOut: Bool
    private var heads: [String] = []
    private var open = 0
    private var told: Set<Int32> = []
    private var interim: [Int32: Int] = [:]
    private let limits: HTTP2Limits

    init(kind: UInt8) {
        var limits = HTTP2Limits()
        if kind & 8 != 0 {
            limits.interimHeads = 3
            limits.interimHeadBytes = 512
            limits.originHeads = .init(burst: 5, perSecond: 0)
            limits.resets = .init(burst: 5, perSecond: 0)
            limits.headerListBytes = 1_024
            limits.fieldCount = 16
        }
        self.limits = limits
        isServer = kind & 1 == 0
        leavesPrefaceOut = kind & 2 != 0
        meddles = kind & 4 != 0
        guard let machine = try? HTTP2Machine(role: isServer ? .client : .origin, limits: limits) else {
            preconditionFailure("no machine")
        }
        self.machine = machine
    }

    func outcome(of bytes: UnsafeRawBufferPointer, piece: Int) -> (heads: [String], isFinished: Bool) {
        machine.handler = self
        if !isServer { ask() }
        write()
        if leavesPrefaceOut {
            give(isServer ? "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u{4}\0\0\0\0\0" : "\0\0\0\u{4}\0\0\0\0\0")
        }
        var given = 0
        while given < bytes.count {
            let end = min(given + piece, bytes.count)
            machine.receive(UnsafeRawBufferPointer(rebasing: bytes[given..<end]))
            if meddles { write() }
            given = end
        }
        write()
        // A request with a length of 0 is active before it is opened.
        precondition(isServer ? machine.activeStreams >= open : machine.activeStreams == open, "a stream was lost")
        switch machine.state {
        case .failed, .done: precondition(open == 0 && machine.isFinished, "a stream is left open")
        case .alive, .goingAway: break
        }
        // Open streams hold their handler, which holds the machine.
        defer { machine.abandon() }
        return (heads, machine.isFinished)
    }

    private func give(_ text: StaticString) {
        machine.receive(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private func write() {
        let queue = ByteQueue()
        machine.write(to: queue, upTo: .max)
    }

    private func ask() {
        var fields = FieldBlock()
        fields.append(.host, "fuzz.test")
        for method in [Method.get, .head, .post] {
            let head = RequestHead(method: method, target: .path("/"), fields: fields)
            let stream = machine.open(
                HTTP2Request(head: head, scheme: "https", endsStream: method != .post), handler: self)
            precondition(stream != nil, "a fresh machine opens no stream")
            open += 1
        }
    }

    func opened(_ request: HTTP2Request, _ stream: HTTP2Stream) {
        stream.handler = self
        precondition(told.insert(stream.id).inserted, "a request is reported twice")
        open += 1
        heads.append(
            "\(stream.id) \(request.head.method.name) \(request.head.target) \(request.scheme) \(request.head.framing) "
                + "\(request.protocolName ?? "") \(request.head.fields.count) \(request.endsStream)")
        check(request)
        guard meddles else { return }
        if stream.id % 3 == 0 { stream.reset(.cancel) }
        stream.answer(ResponseHead(status: 200, reason: "", framing: .chunked), endsStream: stream.id % 4 == 1)
        if stream.id % 5 == 0 { machine.shutDown(.noError) }
    }

    /// A request that was accepted must also be valid in HTTP/1.
    private func check(_ request: HTTP2Request) {
        guard request.head.method != .connect else { return }
        let queue = ByteQueue()
        MessageWriter.request(request.head, asOriginForm: true, via: "fuzz", to: queue)
        var limits = WireLimits()
        limits.headBytes *= 2
        limits.fieldCount *= 2
        var reader = MessageReader.requests(limits: limits)
        do throws(WireError) {
            guard case .requestHead(let again)? = try reader.next(in: queue.bytes).event else {
                preconditionFailure("a written head is not complete")
            }
            precondition(again.method == request.head.method && again.target == request.head.target)
        } catch {
            preconditionFailure("a written head is refused: \(error)")
        }
    }

    func rejected(_ request: HTTP2RejectedRequest) {
        precondition(told.insert(request.streamID).inserted, "a request is reported twice")
        heads.append("\(request)")
    }

    func peerChangedSettings(_ machine: HTTP2Machine) {}
    func peerIsLeaving(_ machine: HTTP2Machine, code: UInt32) {}

    func answered(_ head: ResponseHead, endsStream: Bool, on stream: HTTP2Stream) {
        if head.isInterim {
            interim[stream.id, default: 0] += 1
            precondition(interim[stream.id, default: 0] <= limits.interimHeads, "too many interim responses")
        }
        heads.append("\(stream.id) \(head.status) \(head.framing) \(head.fields.count) \(endsStream)")
    }

    func received(_ bytes: UnsafeRawBufferPointer, on stream: HTTP2Stream) {
        stream.consume(bytes.count)
        if meddles { stream.send(bytes) }
    }

    func ended(_ stream: HTTP2Stream, trailers: FieldBlock?) {
        if meddles { stream.finish(trailers: trailers) }
    }

    func drained(_ count: Int, from stream: HTTP2Stream) {}

    func closed(_ stream: HTTP2Stream, _ end: HTTP2StreamEnd) {
        precondition(stream.queuedBytes == 0, "a closed stream has queued bytes")
        open -= 1
    }
}
