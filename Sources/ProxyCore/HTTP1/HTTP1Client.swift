import ATSPolicy
import Bytes
import HTTPWire
import Records
import TLSEngine
import Text

/// A client that uses HTTP/1, inside a tunnel or not: one load after the other, each ruled, carried and recorded.
final class HTTP1Client: SessionMachine {
    let context: SessionContext
    let tunnel: Tunnel?
    private let origin: HTTP1OriginSide
    /// True if a load has ended and another request may be read from the inbox.
    private var wantsRequest = false

    init(_ context: SessionContext, in tunnel: Tunnel? = nil, over link: OriginLink? = nil) {
        self.context = context
        self.tunnel = tunnel
        origin = HTTP1OriginSide(context, in: tunnel, over: link)
    }

    private var client: ClientStream { context.client }
    private var recorder: LoadRecorder { LoadRecorder(context: context, tunnel: tunnel) }
    var isWaiting: Bool { origin.isIdle }

    func begin() -> Transition {
        if tunnel != nil { context.timer.markExpired() }
        return readRequests()
    }

    func clientSent(_ bytes: UnsafeRawBufferPointer) -> Transition {
        client.receive(bytes)
        switch client.tls?.state {
        // Bytes before a close_notify are still processed.
        case .closed: client.hasEnded = true
        case .failed: return clientRejectedLeaf()
        case .handshaking, .helloHeld, .established, nil: break
        }
        return isWaiting ? readRequests() : moved(origin.clientSent())
    }

    /// Reads requests from the inbox while they are answered immediately and the client reads the responses.
    func readRequests() -> Transition {
        do throws(WireError) {
            while isWaiting {
                wantsRequest = false
                guard client.outbox.count <= context.highWaterBytes else {
                    context.holdClient(.unreadAnswers)
                    context.arm(.idle)
                    return .stay
                }
                let step = try client.reader.next(in: client.inbox.bytes)
                client.inbox.consume(step.consumed)
                guard case .requestHead(let head)? = step.event else {
                    if step.event != nil { continue }
                    return awaitMore()
                }
                let transition = begin(head)
                guard case .stay = transition else { return transition }
            }
            return .stay
        } catch {
            recorder.fileMalformedHead(error)
            return turnAway(with: GatePage(malformed: error, wantsJSON: false))
        }
    }

    /// Answers a request that is not a load. If the tunnel's loads are denied, this files the tunnel's record.
    private func turnAway(with page: GatePage, answering head: RequestHead? = nil) -> Transition {
        context.noteAsking(in: tunnel)
        if tunnel?.denial != nil { recorder.fileTunnel(tunnel?.verdict == .blocked ? .page : nil) }
        client.write(page, answering: head, ends: true)
        return linger()
    }

    /// Waits for more bytes: within the head deadline for the rest of a head, with the idle deadline between loads.
    private func awaitMore() -> Transition {
        if client.hasEnded { return .close(.settled) }
        let armed = context.timer.armed
        if client.inbox.isEmpty {
            client.inbox.releaseIfEmpty()
            if armed != .idle, armed != .rest, tunnel != nil || armed != .head {
                // A draining gate still waits for a new tunnel's first request, but not for long.
                context.arm(context.isDraining ? .head : context.waiting(mayRest: origin.mayRest))
            }
        } else if armed != .head {
            context.arm(.head)
        }
        context.releaseClient()
        return .stay
    }

    private func begin(_ head: RequestHead) -> Transition {
        context.recognize(head)
        if head.method == .connect, tunnel == nil {
            origin.giveBack()
            return TunnelOpening.open(head, context)
        }
        if tunnel == nil, let answer = context.ownAnswer(to: head) {
            return client.give(answer, to: head, isLast: context.isDraining) ? .stay : linger()
        }
        switch RequestedTarget(head, in: tunnel) {
        case .nothing(let page): return turnAway(with: page, answering: head)
        case .target(let target): return begin(head, to: target)
        }
    }

    private func begin(_ head: RequestHead, to target: LoadTarget) -> Transition {
        let (load, admission) = context.admit(head, to: target, in: tunnel)
        load.endsClient = !head.isPersistent
        switch admission {
        case .carry:
            if context.isDraining { load.endsClient = true }
            return ended(load, origin.carry(load))
        case .refuse(let diagnosis):
            // After an answer of the gate, another request may follow only one without a body.
            if head.framing != .none || context.isDraining { load.endsClient = true }
            return refuse(load, diagnosis)
        case .fail(let answer):
            if load.ruled.isOwn { load.endsClient = true }
            return fail(load, answer)
        }
    }

    // MARK: The load in flight

    /// Runs after an event: the load may have ended, and the next request may already be in the inbox.
    private func moved(_ outcome: HTTP1Outcome) -> Transition {
        guard let load = origin.load else { return .stay }
        let transition = ended(load, outcome)
        guard case .stay = transition, wantsRequest else { return transition }
        return readRequests()
    }

    private func ended(_ load: Load, _ outcome: HTTP1Outcome) -> Transition {
        switch outcome {
        case .going: return .stay
        case .done: return complete(load)
        case .answeredEarly:
            recorder.file(load, load.passVerdict, on: origin.link)
            return linger()
        case .upgraded(let link): return .become(Relay(context, .upgrade(load, tunnel), over: link))
        case .refused(let diagnosis, let recorded):
            load.endsClient = true
            return refuse(load, diagnosis, origin: recorded)
        case .lost(let link, let reset): return fail(load, context.lost(load, on: link, reset: reset))
        case .failed(let error, let recorded): return fail(load, error, origin: recorded)
        case .malformedRequest(let error):
            recorder.fileMalformed(error, load, on: origin.link)
            return linger()
        case .clientLeft: return .close(.client(.left))
        }
    }

    /// Files a completed load and prepares for the next.
    private func complete(_ load: Load) -> Transition {
        recorder.file(load, load.passVerdict, on: origin.link)
        origin.finish()
        guard load.endsClient || context.isDraining else { return awaitNextRequest() }
        origin.giveBack()
        // Closing with unread bytes would reset the connection and discard the response.
        return client.inbox.isEmpty ? .close(.settled) : linger()
    }

    private func awaitNextRequest() -> Transition {
        origin.cancel()
        context.timer.markExpired()
        wantsRequest = true
        return .stay
    }

    // MARK: The gate's own responses

    /// Answers a denied load with a page that contains the reason.
    private func refuse(_ load: Load, _ diagnosis: RecordedDiagnosis, origin met: RecordedOrigin? = nil) -> Transition {
        load.beginAnswer(status: 403)
        client.write(context.page(refusing: load, for: diagnosis), answering: load.head, ends: load.endsClient)
        recorder.file(load, .blocked, by: .page, diagnosis: diagnosis, origin: met)
        return settle(load)
    }

    /// Fails a load: sends an error page, or cuts the response if it has begun.
    private func fail(_ load: Load, _ error: ErrorAnswer, origin met: RecordedOrigin? = nil) -> Transition {
        let isBegun = load.status != nil
        if !isBegun {
            load.beginAnswer(status: error.status)
            if !load.requestIsWhole, load.head.framing != .none || context.isDraining { load.endsClient = true }
            client.write(error.page(for: load.head), answering: load.head, ends: load.endsClient)
        }
        recorder.file(
            load, .failed, by: isBegun ? nil : .page, diagnosis: error.diagnosis, on: origin.link, origin: met)
        guard !isBegun else { return .close(.settled, origin.exchange?.endsByClosing == true ? .reset : .cut) }
        origin.drop()
        return settle(load)
    }

    /// Continues after a response of the gate: with the next request, or by closing.
    private func settle(_ load: Load) -> Transition {
        guard !load.endsClient else { return linger() }
        if !load.requestIsWhole {
            // A request without a body still has an end event.
            guard let step = try? client.reader.next(in: client.inbox.bytes), case .end? = step.event else {
                return linger()
            }
        }
        return awaitNextRequest()
    }

    private func linger() -> Transition {
        origin.cancel()
        origin.drop()
        return .linger
    }

    func connected(_ link: OriginLink) -> Transition { moved(origin.connected(link)) }
    func dialFailed(_ failure: NetworkFailure) -> Transition {
        moved(origin.dialFailed(failure))
    }

    func originSent(_ bytes: UnsafeRawBufferPointer, on link: OriginLink) -> Transition {
        moved(origin.originSent(bytes, on: link))
    }
    func originEnded(_ link: OriginLink, reset: Bool) -> Transition { moved(origin.originEnded(link, reset: reset)) }

    func clientDrained() -> Transition {
        if let link = origin.link { context.release(link, .clientFull) }
        return isWaiting && !context.flow.client.isEmpty ? readRequests() : .stay
    }

    func originDrained(_ link: OriginLink) -> Transition {
        guard link === origin.link, !context.flow.client.isEmpty else { return .stay }
        if origin.exchange != nil { return moved(origin.clientSent()) }
        context.releaseClient()
        return .stay
    }

    var awaitsClient: Bool {
        isWaiting && !context.flow.client.isEmpty || origin.link?.holds.contains(.clientFull) == true
    }

    var awaitedLink: OriginLink? { origin.awaitedLink }
    func originSpliceLimit(of link: OriginLink) -> Int? { origin.answerSpliceLimit(on: link) }

    func originPassed(_ link: OriginLink, _ count: Int, waiting: Int) {
        origin.answerPassed(count, on: link, waiting: waiting)
    }

    // MARK: Ends
    var isBetweenLoads: Bool { isWaiting && client.inbox.isEmpty }

    func clientEnded() -> Transition {
        client.hasEnded = true
        // Requests that arrived before are still answered; without any, the connection is over.
        return isWaiting ? readRequests() : moved(origin.clientEnded())
    }

    /// Handles a client whose TLS broke: before any load, it did not accept the leaf.
    private func clientRejectedLeaf() -> Transition {
        guard isWaiting, let tunnel, tunnel.awaitsRecord else { return .close(.client(.left)) }
        return recorder.leafRejected()
    }

    func deadlinePassed(_ deadline: Deadline) -> Transition {
        guard isWaiting else { return moved(origin.deadlinePassed(deadline)) }
        if deadline == .rest {
            origin.rest()
            context.armAfterRest()
            return .stay
        }
        guard deadline == .head, !client.inbox.isEmpty else { return .close(.settled) }
        let limit = context.loop.policy.rules.limits.head
        if tunnel?.denial == nil { recorder.fileBegunHead(status: 408, .clientStalled(limit)) }
        return turnAway(with: GatePage(lateHead: limit))
    }

    var onlyWaits: Bool { isWaiting }

    /// Answers an incomplete head, and records it if it already names its target.
    func shed() -> Transition {
        guard isWaiting, !client.inbox.isEmpty else { return .close(.gate(.shed)) }
        recorder.fileBegunHead(status: 408, .shed)
        client.write(GatePage(shed: .shed), answering: nil, ends: true)
        return linger()
    }

    func drain() -> Transition {
        guard let load = origin.load else { return .close(.settled) }
        if load.status == nil { load.endsClient = true }
        return .stay
    }

    func end(_ reason: EndReason) {
        if let load = origin.load {
            let finding = reason.finding(after: load.bytesReceived) ?? .clientGone(after: load.bytesReceived)
            recorder.file(load, .failed, diagnosis: RecordedDiagnosis(finding), on: origin.link)
            origin.cancel()
        } else {
            origin.giveBack()
        }
        recorder.fileTunnel(left: reason)
        origin.drop()
    }
}

extension LoadRecorder {
    /// Files an incomplete head as a failed load if its lines already name the target.
    func fileBegunHead(status: Int, _ finding: Finding) {
        guard let head = context.client.begunHead, case .target(let target) = RequestedTarget(head, in: tunnel) else {
            return
        }
        context.recognize(head)
        let (load, _) = context.admit(head, to: target, in: tunnel)
        load.beginAnswer(status: status)
        file(load, .failed, diagnosis: RecordedDiagnosis(finding))
    }

    /// Files a malformed head as a load if its first line or its tunnel names the target. The load failed, unless it is
    /// denied: then the denial counts.
    func fileMalformedHead(_ error: WireError) {
        guard tunnel?.denial == nil, let (head, target) = context.client.malformedHead(in: tunnel) else { return }
        context.recognize(head)
        let (load, admission) = context.admit(head, to: target, in: tunnel)
        load.beginAnswer(status: error.status)
        let finding = RecordedDiagnosis(.malformedRequest(error))
        if case .refuse(let denial) = admission {
            file(load, .blocked, by: .page, diagnosis: denial.adding(finding))
        } else if let denial = load.diagnosis {
            file(load, .wouldBlock, diagnosis: denial.adding(finding))
        } else {
            file(load, .failed, by: .page, diagnosis: finding)
        }
    }

    /// Files a request that was malformed after its head.
    func fileMalformed(_ error: WireError, _ load: Load, on link: OriginLink?) {
        if load.status == nil {
            let page = GatePage(malformed: error, wantsJSON: load.head.wantsJSON)
            context.client.write(page, answering: load.head, ends: true)
            load.beginAnswer(status: error.status)
        }
        file(load, .failed, diagnosis: RecordedDiagnosis(.malformedRequest(error)), on: link)
    }
}

extension ClientStream {
    /// The head made of the complete lines; nil if they make none.
    fileprivate var begunHead: RequestHead? {
        guard let end = inbox.bytes.lastIndex(of: UInt8(ascii: "\n")) else { return nil }
        return Self.head(of: Array(ByteView(inbox.bytes).slice(0..<end + 1)) + Array("\r\n".utf8))
    }

    /// The readable parts of a malformed head: the words of its first line, its first Host and User-Agent fields, if
    /// valid. Outside a tunnel, the second word must name the target.
    fileprivate func malformedHead(in tunnel: Tunnel?) -> (RequestHead, LoadTarget)? {
        let lines = inbox.bytes.prefix(WireLimits().headBytes).split { $0 == 0x0A || $0 == 0x0D }.map {
            String(decoding: $0, as: UTF8.self)
        }
        let words = (lines.first ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
        let fields = ["host:", "user-agent:"].compactMap { name in
            lines.first { $0.prefix(name.count).lowercased() == name }
        }
        let asked = words.dropFirst().first.map { [$0, String($0.prefix { $0.isASCII && $0 > " " && $0 < "\u{7F}" })] }
        for target in (asked ?? []) + (tunnel == nil ? [] : ["/"]) {
            for method in words.prefix(1) + [Method.get.name] {
                for others in [fields, ["Host: \(Authority(host: tunnel?.target.host ?? "", port: nil))"]] {
                    let lines = ["\(method) \(target) HTTP/1.1"] + others + ["\r\n"]
                    guard let head = Self.head(of: Array(lines.joined(separator: "\r\n").utf8)) else { continue }
                    if tunnel == nil, case .authority(let host, let port) = head.target {
                        return (head, LoadTarget(scheme: .https, host: host, port: port))
                    }
                    if case .target(let target) = RequestedTarget(head, in: tunnel) { return (head, target) }
                }
            }
        }
        return nil
    }

    private static func head(of lines: [UInt8]) -> RequestHead? {
        var reader = MessageReader.requests(limits: WireLimits())
        let step = lines.withUnsafeBytes { try? reader.next(in: $0) }
        if case .requestHead(let head)? = step?.event { return head }
        return nil
    }
}
