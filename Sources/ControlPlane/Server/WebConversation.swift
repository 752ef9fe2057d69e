import Bytes
import Foundation
public import HTTPWire
import Text

/// One client's requests and their answers, in order: no socket, no clock, no thread.
struct WebConversation {
    /// The thing that the conversation waits for.
    enum NextStep {
        /// More of a request.
        case bytes
        /// An answer: ``give(_:_:)``.
        case answer(WebCall)
        /// Room for more of a body.
        case room
        /// The next piece of a body, made where it may block: ``give(piece:_:)``.
        case piece(@Sendable () throws -> [UInt8]?)
        /// The next beat: ``writeEvents(to:)``.
        case beat
        /// The end of the connection.
        case end
    }

    private enum State {
        case head
        case body(WebCall, ByteQueue)
        /// An answer is being made.
        case call(WebCall)
        case answer(AnswerFraming, WebBody)
        case over
    }

    private let router: WebRouter
    private let peer: String
    private let bodyBytes: Int
    private var reader: MessageReader
    private var state = State.head
    /// Counts received heads and finished answers. Each one restarts the deadline for the next request.
    private(set) var progress = 0

    /// - Parameter peer: as in `192.0.2.1:5` or `[2001:db8::1]:5`.
    init(with router: WebRouter, peer: String, limits: WebLimits) {
        self.router = router
        self.peer = peer
        bodyBytes = limits.bodyBytes
        var wire = WireLimits()
        wire.headBytes = limits.headBytes
        wire.fieldCount = limits.fields
        reader = .requests(limits: wire)
    }

    /// True if part of an answer was written and more follows.
    var isAnswering: Bool { if case .answer = state { true } else { false } }

    /// Reads a request from `inbox`, or writes one page of an answer to `outbox`.
    mutating func advance(_ inbox: ByteQueue, _ outbox: ByteQueue) -> NextStep {
        while true {
            switch state {
            case .head, .body: guard read(inbox, outbox) else { return .bytes }
            case .call(let call): return .answer(call)
            case .answer(let form, .bytes(let rest)):
                giveBytes(rest, form, outbox)
                return .room
            case .answer(_, .pieces(let next)): return .piece(next)
            case .answer(_, .events): return .beat
            case .over: return .end
            }
        }
    }

    // MARK: - Requests

    /// Reads one event. Returns false if none is complete.
    private mutating func read(_ inbox: ByteQueue, _ outbox: ByteQueue) -> Bool {
        do throws(WireError) {
            let step = try reader.next(in: inbox.bytes)
            switch step.event {
            case .requestHead(let head): begin(head, outbox)
            case .body: take(step.body.map { ByteView(inbox.bytes).slice($0) }, outbox)
            case .end:
                if case .body(var call, let body) = state {
                    call.body = Array(body.bytes)
                    state = .call(call)
                }
            case .trailers, .responseHead, nil: break
            }
            inbox.consume(step.consumed)
            return step.event != nil
        } catch {
            let part = if case .body = state { "body" } else { "request" }
            refuse(.plain("The \(part) cannot be read.\n", status: error.status), outbox)
            return true
        }
    }

    private mutating func begin(_ head: RequestHead, _ outbox: ByteQueue) {
        progress += 1
        guard let request = WebRequest(head, from: peer) else {
            return refuse(.plain("This is not a proxy.\n", status: 400), outbox)
        }
        switch router.dispatch(request) {
        case .refused(let answer):
            // Its body is not read, so the connection cannot be reused.
            let isBare = head.framing == .none || head.framing == .fixed(0)
            give(answer, to: head, isLast: !isBare, outbox)
        case .called(let call):
            if case .fixed(let length) = head.framing, length > bodyBytes { return refuseBody(outbox) }
            if head.expectsContinue { MessageWriter.sendContinue(queue: outbox) }
            state = .body(call, ByteQueue())
        }
    }

    private mutating func take(_ bytes: UnsafeRawBufferPointer?, _ outbox: ByteQueue) {
        guard case .body(_, let body) = state, let bytes else { return }
        guard body.count + bytes.count <= bodyBytes else { return refuseBody(outbox) }
        body.append(bytes)
    }

    private mutating func refuseBody(_ outbox: ByteQueue) {
        refuse(WebProblem(413, "The body is larger than allowed.").answer, outbox)
    }

    /// Answers input that cannot be parsed, and ends the connection.
    private mutating func refuse(_ answer: WebAnswer, _ outbox: ByteQueue) {
        give(answer, to: nil, isLast: true, outbox)
    }

    // MARK: - Answers

    /// Starts writing the answer to the pending call.
    mutating func give(_ answer: WebAnswer, _ outbox: ByteQueue) {
        guard case .call(let call) = state else { return }
        give(answer, to: call.request.head, isLast: false, outbox)
    }

    private mutating func give(_ answer: WebAnswer, to request: RequestHead?, isLast: Bool, _ outbox: ByteQueue) {
        let form = MessageWriter.answer(answer.head, to: request, isLast: isLast, queue: outbox)
        // A request whose head was read may be complete already; the reader reports that on its next call.
        state = .answer(form, form.framing == nil ? .bytes([]) : answer.body)
    }

    /// Writes the piece of a body that was requested; nil ends the body.
    mutating func give(piece: [UInt8]?, _ outbox: ByteQueue) {
        guard case .answer(let form, _) = state else { return }
        guard let piece else { return finish(form, outbox) }
        write(piece[...], form, outbox)
    }

    /// Writes the events of one beat.
    mutating func writeEvents(to outbox: ByteQueue) {
        guard case .answer(let form, .events(var events)) = state else { return }
        write(events.next()[...], form, outbox)
        state = .answer(form, .events(events))
    }

    private mutating func giveBytes(_ rest: ArraySlice<UInt8>, _ form: AnswerFraming, _ outbox: ByteQueue) {
        write(rest.prefix(Self.pageBytes), form, outbox)
        let rest = rest.dropFirst(Self.pageBytes)
        if rest.isEmpty { finish(form, outbox) } else { state = .answer(form, .bytes(rest)) }
    }

    private func write(_ bytes: ArraySlice<UInt8>, _ form: AnswerFraming, _ outbox: ByteQueue) {
        bytes.withUnsafeBytes { bytes in
            if form.framing == .chunked { MessageWriter.chunk(bytes, to: outbox) } else { outbox.append(bytes) }
        }
    }

    private mutating func finish(_ form: AnswerFraming, _ outbox: ByteQueue) {
        if form.framing == .chunked { MessageWriter.chunkEnd(trailers: nil, to: outbox) }
        progress += 1
        state = form.isPersistent ? .head : .over
    }

    private static let pageBytes = 65_536
}

/// A request without its body.
public struct WebRequest: Sendable {
    public let head: RequestHead
    /// Still percent-encoded, without the query.
    public let path: String
    /// The query as received, without the question mark; empty if there is none.
    private let rawQuery: Substring
    /// The decoded members of the query, in order.
    private let members: [(name: String, value: String)]
    /// Decided by the connection's address alone; header fields do not count.
    let isFromThisMachine: Bool

    /// - Parameter peer: as in `192.0.2.1:5` or `[2001:db8::1]:5`.
    /// - Returns: nil if the request is meant for a proxy.
    public init?(_ head: RequestHead, from peer: String) {
        guard case .path(let target) = head.target else { return nil }
        self.head = head
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts.first ?? "/")
        rawQuery = parts.count > 1 ? parts[1] : ""
        members = Self.members(of: rawQuery)
        let address = (try? Authority(peer[...])).flatMap { IPAddress($0.host) }
        isFromThisMachine = address?.isLoopback == true
    }

    /// The method; HEAD is treated like GET, whose answer differs only in its body (RFC 9110 section 9.3.2).
    var method: HTTPWire.Method { head.method == .head ? .get : head.method }

    /// The value of the first member with this name.
    func query(_ name: String) -> String? { members.first { $0.name == name }?.value }

    /// The names of all members of the query.
    var queryNames: [String] { members.map(\.name) }

    /// The query as received, without the members of one name.
    func query(without name: String) -> String {
        rawQuery.split(separator: "&").filter { member in
            Self.members(of: member).allSatisfy { $0.name != name }
        }.joined(separator: "&")
    }

    /// True if a browser asks for a page to show, rather than for data (Fetch, section 3.2.6).
    var wantsPage: Bool {
        method == .get && head.fields.values(of: .accept).contains { $0.lowercased().contains("text/html") }
    }

    /// Parses a query as browsers write it. Source: URL Standard, section 5.1, application/x-www-form-urlencoded
    /// parsing.
    private static func members(of query: Substring) -> [(name: String, value: String)] {
        func decoded(_ text: Substring) -> String {
            let text = text.replacing("+", with: " ")
            return text.removingPercentEncoding ?? String(text)
        }
        return query.split(separator: "&").map { member in
            let sides = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(sides[0]), sides.count > 1 ? decoded(sides[1]) : "")
        }
    }
}
