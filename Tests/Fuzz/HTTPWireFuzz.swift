import Bytes
import HTTPWire

/// Reads the fuzzer's input. The low bits of the first byte select its kind: 0 for requests, 1 to 3 for responses to
/// GET, HEAD or CONNECT. Reading yields events or throws the target's error type, with the same result for one piece
/// and byte by byte. A rewritten request must be read back as the same request.
///
/// As the first bytes of a tunnel, every prefix must be classified like the whole, and a request as HTTP.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTTPWire(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let bytes = UnsafeRawBufferPointer(start: start + 1, count: count - 1)
    let kind = Int(start[0] & 3)
    let whole = outcome(of: bytes, kind: kind, piece: max(bytes.count, 1))
    precondition(whole == outcome(of: bytes, kind: kind, piece: 1), "byte by byte differs")
    precondition(whole == outcome(of: bytes, kind: kind, piece: 7), "in sevens differs")
    checkSorting(bytes, isRequest: kind == 0 && !whole.events.isEmpty)
    return 0
}

private func checkSorting(_ bytes: UnsafeRawBufferPointer, isRequest: Bool) {
    let whole = FirstBytes(bytes)
    precondition(!isRequest || whole == .http, "a request is classified as \(whole)")
    // Most inputs are decided by a few bytes.
    for end in 0..<min(bytes.count, 100) {
        let part = FirstBytes(UnsafeRawBufferPointer(rebasing: bytes[..<end]))
        precondition(part == .undecided || part == whole, "\(end) bytes are classified as \(part), all as \(whole)")
    }
}

/// A reader's output: a description of its events, joined payload, and its error.
private struct Outcome: Equatable {
    var events: [String] = []
    var payload: [UInt8] = []
    var error: WireError?
}

private func outcome(of bytes: UnsafeRawBufferPointer, kind: Int, piece: Int) -> Outcome {
    var reader = kind == 0 ? MessageReader.requests() : MessageReader.responses()
    let method: Method = kind == 2 ? .head : kind == 3 ? .connect : .get
    var outcome = Outcome()
    var consumed = 0
    var given = 0
    reader.expectResponse(to: method)
    do throws(WireError) {
        while given < bytes.count {
            given = min(given + piece, bytes.count)
            while true {
                let waiting = UnsafeRawBufferPointer(rebasing: bytes[consumed..<given])
                let step = try reader.next(in: waiting)
                precondition(step.consumed >= 0 && step.consumed <= waiting.count, "consumed more bytes than available")
                if let body = step.body { outcome.payload += waiting[body] }
                consumed += step.consumed
                guard let event = step.event else { break }
                note(event, in: &outcome)
                if case .end = event { reader.expectResponse(to: method) }
            }
        }
        while let event = try reader.endOfInput() { note(event, in: &outcome) }
    } catch {
        outcome.error = error
    }
    return outcome
}

private func note(_ event: MessageReader.Event, in outcome: inout Outcome) {
    switch event {
    case .requestHead(let head):
        checkWriting(head)
        outcome.events.append(
            "\(head.method.name) \(head.target) \(head.framing) \(head.isPersistent) \(head.fields.count)")
    case .responseHead(let head):
        let queue = ByteQueue()
        MessageWriter.response(head, framing: head.framing, persistent: head.isPersistent, via: "fuzz", to: queue)
        outcome.events.append("\(head.status) \(head.reason) \(head.framing) \(head.isPersistent) \(head.fields.count)")
    case .body: break
    case .trailers(let fields): outcome.events.append("trailers \(fields.count) at \(outcome.payload.count)")
    case .end: outcome.events.append("end at \(outcome.payload.count)")
    }
}

private func checkWriting(_ read: RequestHead) {
    var head = read
    // HTTP/1.0 may omit Host; the sender of such a request knows the host.
    if !head.fields.contains(.host) { head.fields.append(.host, "fuzz.test") }
    var limits = WireLimits()
    limits.headBytes *= 2
    limits.fieldCount *= 2
    let queue = ByteQueue()
    MessageWriter.request(head, asOriginForm: false, via: "fuzz", to: queue)
    var reader = MessageReader.requests(limits: limits)
    do throws(WireError) {
        let step = try reader.next(in: queue.bytes)
        guard case .requestHead(let again)? = step.event else { preconditionFailure("a written head is not complete") }
        precondition(step.consumed == queue.count, "a written head was not consumed as a whole")
        precondition(again.method == head.method && again.target == head.target && again.framing == head.framing)
        precondition(!again.fields.contains(.proxyAuthorization) && !again.fields.contains(.keepAlive))
    } catch {
        preconditionFailure("a written head is refused: \(error)")
    }
}
