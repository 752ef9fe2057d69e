import Bytes
import ATSPolicy
import HTTPWire
import OriginHandshake
import Records
import TLSEngine

/// A client that speaks HTTP/1, to the gate itself or inside a tunnel: one load after the other, each ruled, carried and
/// recorded.
final class HTTP1Client: SessionMachine {
    private enum State {
        /// Between loads, or in the middle of a head.
        case waiting
        case acquiring(Load, LinkAcquisition)
        case carried(HTTP1Exchange)
    }

    let context: SessionContext
    let tunnel: Tunnel?
    private var state = State.waiting
    /// The link of the last load, good for another one.
    private var link: OriginLink?
    /// Another request may be read from the inbox.
    private var wantsRequest = false

    init(_ context: SessionContext, in tunnel: Tunnel? = nil, over link: OriginLink? = nil) {
        self.context = context
        self.tunnel = tunnel
        self.link = link
    }

    private var client: ClientStream { context.client }
    private var recorder: LoadRecorder { LoadRecorder(context: context, tunnel: tunnel) }

    func begin() -> Transition {
        if tunnel != nil { context.timer.lapse() }
        return readRequests()
    }

    // MARK: Requests

    func clientSent(_ bytes: UnsafeRawBufferPointer) -> Transition {
        client.receive(bytes)
        switch client.tls?.state {
        // What came before a close_notify counts.
        case .closed: client.hasEnded = true
        case .failed: return clientRejectedLeaf()
        case .handshaking, .helloHeld, .established, nil: break
        }
        switch state {
        case .waiting: return readRequests()
        case .acquiring:
            if client.inbox.count > context.highWaterBytes { context.holdClient(.undecided) }
            return .stay
        case .carried(let exchange): return then(moved(exchange, exchange.clientSent()))
        }
    }

    /// Reads requests out of the inbox, as long as they are answered at once and the client reads the answers.
    private func readRequests() -> Transition {
        do throws(WireError) {
            while case .waiting = state {
                wantsRequest = false
                guard !clientIsSlow else {
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
            client.write(
                GatePage(
                    status: error.status, title: "Malformed request", sentences: [error.sentence], wantsJSON: false),
                answering: nil, ends: true)
            return linger()
        }
    }

    private var clientIsSlow: Bool { client.outbox.count > context.highWaterBytes }

    /// After an event that may have ended a load: on to the next request.
    private func then(_ transition: Transition) -> Transition {
        guard case .stay = transition, wantsRequest else { return transition }
        return readRequests()
    }

    /// Nothing whole is in the inbox: wait, strictly for the rest of a head, patiently between loads.
    private func awaitMore() -> Transition {
        if client.hasEnded { return .close(.settled) }
        let armed = context.timer.armed
        if client.inbox.isEmpty {
            client.inbox.releaseIfEmpty()
            if armed != .idle, tunnel != nil || armed != .head {
                // A gate that drains waits for what a tunnel was opened for, but not for long.
                context.arm(context.isDraining ? .head : .idle)
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
            giveBackLink()
            return TunnelOpening.open(head, by: .http, context)
        }
        guard let target = target(of: head) else { return linger() }
        let (load, admission) = context.admit(head, to: target, in: tunnel)
        load.endsClient = !head.isPersistent
        switch admission {
        case .carry(let permit):
            if context.isDraining { load.endsClient = true }
            return acquire(for: load, permit)
        case .refuse(let diagnosis):
            // A request without a body can be followed by another one after an answer of ours.
            if head.framing != .none || context.isDraining { load.endsClient = true }
            return refuse(load, diagnosis)
        case .loop:
            load.endsClient = true
            return fail(load, ErrorAnswer(508, "This is the gate itself", .loop(target)))
        }
    }

    /// What the head asks for; answers the client and returns nil when it asks for nothing that can be had here.
    private func target(of head: RequestHead) -> LoadTarget? {
        switch RequestedTarget(head, in: tunnel) {
        case .target(let target): return target
        case .nothing(let page):
            client.write(page, answering: head, ends: true)
            return nil
        }
    }

    // MARK: A load and its link

    private func acquire(for load: Load, _ permit: ConnectPermit) -> Transition {
        if let link, isFit(link, for: permit) { return carry(load, over: link, isNew: false) }
        giveBackLink()
        return order(for: load, permit, mayReuse: true)
    }

    private func order(for load: Load, _ permit: ConnectPermit, mayReuse: Bool) -> Transition {
        context.disarm()
        let acquisition = LinkAcquisition(context, in: tunnel, under: permit, dialing: permit)
        state = .acquiring(load, acquisition)
        acquisition.order(mayReuse: mayReuse)
        return .stay
    }

    /// Whether the link at hand may carry a load under this permit as it is.
    private func isFit(_ link: OriginLink, for permit: ConnectPermit) -> Bool {
        guard tunnel != nil else { return link.key == OriginLink.Key(permit) }
        return permit.target.scheme == .http ? !link.isSecured : link.isSecured(under: context.system)
    }

    private func acquired(_ load: Load, _ outcome: LinkAcquisition.Outcome) -> Transition {
        switch outcome {
        case .going, .judged: return .stay
        case .ready(let link, let isNew):
            self.link = link
            if load.target.scheme == .https { load.diagnosis = tunnel?.diagnosis }
            return carry(load, over: link, isNew: isNew)
        case .unreachable(let failure): return fail(load, context.unreachable(failure, for: load))
        case .refused(let origin):
            let diagnosis = context.diagnosis(
                origin.verdict, target: load.target, path: load.pathText, facts: origin.facts)
            guard origin.failure.verdict == .blocked else {
                let status = origin.failure.gatewayStatus
                return fail(
                    load, ErrorAnswer(status, "The origin's TLS handshake failed", diagnosis), card: origin.card)
            }
            load.endsClient = true
            return refuse(load, diagnosis, card: origin.card)
        case .faulted(let error): return fail(load, .fault(.tls(error)))
        }
    }

    private func carry(_ load: Load, over link: OriginLink, isNew: Bool) -> Transition {
        let exchange = HTTP1Exchange(load, over: link, isNew: isNew, context)
        state = .carried(exchange)
        return moved(exchange, exchange.start())
    }

    private func moved(_ exchange: HTTP1Exchange, _ outcome: HTTP1Exchange.Outcome) -> Transition {
        let load = exchange.load
        switch outcome {
        case .going: return .stay
        case .done: return complete(load)
        case .answeredEarly:
            recorder.file(load, load.passVerdict, on: exchange.link)
            return linger()
        case .upgraded:
            link = nil
            return .become(Relay(context, .upgrade(load, tunnel), over: exchange.link))
        case .lost(let reset):
            if let permit = load.permit, load.takeRetry(if: !exchange.hasNewLink && load.mayRetry) {
                dropLink()
                return order(for: load, permit, mayReuse: false)
            }
            return fail(load, lost(exchange, reset: reset))
        case .failed(let error): return fail(load, error)
        case .malformedRequest(let error):
            if load.status == nil {
                client.write(
                    GatePage(
                        status: error.status, title: "Malformed request", sentences: [error.sentence],
                        wantsJSON: load.head.wantsJSON), answering: load.head, ends: true)
                load.beginAnswer(status: error.status)
            }
            recorder.file(load, .failed, diagnosis: DiagnosisCard(.malformedRequest(error)), on: exchange.link)
            return linger()
        case .clientLeft: return .close(.client(.left))
        }
    }

    private func lost(_ exchange: HTTP1Exchange, reset: Bool) -> ErrorAnswer {
        .originLeft(exchange.load, reset: reset)
    }

    /// One load is over: file it, and make ready for the next.
    private func complete(_ load: Load) -> Transition {
        recorder.file(load, load.passVerdict, on: link)
        state = .waiting
        if let link, !link.mayKeep { dropLink() }
        if let link { context.release(link, .clientFull) }
        guard load.endsClient || context.isDraining else { return awaitNextRequest() }
        giveBackLink()
        // Closing with bytes unread would reset the connection, and with it the answer.
        return client.inbox.isEmpty ? .close(.settled) : linger()
    }

    private func awaitNextRequest() -> Transition {
        state = .waiting
        context.timer.lapse()
        wantsRequest = true
        return .stay
    }

    // MARK: Answers of the gate's own

    /// A load that the law denies: a page says why.
    private func refuse(_ load: Load, _ diagnosis: DiagnosisCard, card: OriginCard? = nil) -> Transition {
        load.beginAnswer(status: 403)
        client.write(
            context.page(refusing: load, for: diagnosis), answering: load.head, ends: load.endsClient)
        recorder.file(load, .blocked, refusal: .page, diagnosis: diagnosis, card: card)
        return settle(load)
    }

    /// The load can not be finished: say why if nothing was said yet, else cut the answer short.
    private func fail(_ load: Load, _ error: ErrorAnswer, card: OriginCard? = nil) -> Transition {
        let isBegun = load.status != nil
        if !isBegun {
            load.beginAnswer(status: error.status)
            if !load.requestIsWhole, load.head.framing != .none || context.isDraining { load.endsClient = true }
            client.write(error.page(for: load.head), answering: load.head, ends: load.endsClient)
        }
        recorder.file(load, .failed, diagnosis: error.diagnosis, on: link, card: card)
        guard isBegun else {
            dropLink()
            return settle(load)
        }
        var end = ClientEnd.cut
        if case .carried(let exchange) = state, exchange.endsByClosing { end = .reset }
        return .close(.settled, end)
    }

    /// After an answer of ours: on to the next request, or let the client read and leave.
    private func settle(_ load: Load) -> Transition {
        guard !load.endsClient else { return linger() }
        if !load.requestIsWhole {
            // A request without a body still ends with an event of its own.
            guard let step = try? client.reader.next(in: client.inbox.bytes), case .end? = step.event else {
                return linger()
            }
        }
        return awaitNextRequest()
    }

    private func linger() -> Transition {
        dropLink()
        return .linger
    }

    // MARK: Links

    func connected(_ link: OriginLink, _ role: OriginRole) -> Transition {
        guard case .acquiring(let load, let acquisition) = state else {
            context.giveBack(link)
            return .stay
        }
        return then(acquired(load, acquisition.connected(link, role)))
    }

    func dialFailed(_ failure: NetworkFailure, _ role: OriginRole) -> Transition {
        guard case .acquiring(let load, let acquisition) = state else { return .stay }
        return then(acquired(load, acquisition.dialFailed(failure, role)))
    }

    func originSent(_ bytes: UnsafeRawBufferPointer, on link: OriginLink) -> Transition {
        switch state {
        case .acquiring(let load, let acquisition): return then(acquired(load, acquisition.originSent(bytes, on: link)))
        case .carried(let exchange):
            guard link === exchange.link else { return .stay }
            return then(moved(exchange, exchange.originSent(bytes)))
        case .waiting:
            // TLS 1.3 session tickets arrive late; anything else that nobody asked for ends the link.
            if link === self.link, !link.staysFit(after: bytes) { dropLink() }
            return .stay
        }
    }

    func originEnded(_ link: OriginLink, reset: Bool) -> Transition {
        switch state {
        case .acquiring(let load, let acquisition):
            return then(acquired(load, acquisition.originEnded(link, reset: reset)))
        case .carried(let exchange):
            guard link === exchange.link else { return .stay }
            return then(moved(exchange, exchange.originEnded(reset: reset)))
        case .waiting:
            if link === self.link { dropLink() }
            return .stay
        }
    }

    private func giveBackLink() {
        if let link { context.giveBack(link) }
        link = nil
    }

    private func dropLink() {
        if let link { context.drop(link) }
        link = nil
    }

    // MARK: Flow

    func clientDrained() -> Transition {
        if let link { context.release(link, .clientFull) }
        guard case .waiting = state, !context.flow.client.isEmpty else { return .stay }
        return readRequests()
    }

    func originDrained(_ link: OriginLink) -> Transition {
        guard link === self.link, !context.flow.client.isEmpty else { return .stay }
        if case .carried(let exchange) = state { return then(moved(exchange, exchange.clientSent())) }
        context.releaseClient()
        return .stay
    }

    var awaitsClient: Bool {
        if case .waiting = state, !context.flow.client.isEmpty { return true }
        return link?.holds.contains(.clientFull) ?? false
    }

    var awaitedLink: OriginLink? {
        guard case .carried(let exchange) = state, !exchange.load.requestIsWhole, !context.flow.client.isEmpty else {
            return nil
        }
        return exchange.link
    }

    func originPassage(of link: OriginLink) -> Int? {
        guard case .carried(let exchange) = state, exchange.link === link, client.tls == nil, link.tls == nil else {
            return nil
        }
        return exchange.answerPassage
    }

    func originPassed(_ link: OriginLink, _ count: Int, waiting: Int) {
        guard case .carried(let exchange) = state, exchange.link === link else { return }
        exchange.answerPassed(count, waiting: waiting)
    }

    // MARK: Ends

    var isBetweenLoads: Bool {
        if case .waiting = state { client.inbox.isEmpty } else { false }
    }

    func clientEnded() -> Transition {
        client.hasEnded = true
        switch state {
        // Requests that came before are still answered; without one, the connection is over.
        case .waiting: return readRequests()
        case .acquiring: return .stay
        case .carried(let exchange): return then(moved(exchange, exchange.clientEnded()))
        }
    }

    func clientLost() -> Transition { .close(.client(.left)) }

    /// The client's TLS broke: before any load, it did not like our leaf.
    private func clientRejectedLeaf() -> Transition {
        guard case .waiting = state, let tunnel, tunnel.awaitsRecord else { return .close(.client(.left)) }
        tunnel.fail(DiagnosisCard(.clientRejectedLeaf(alert: client.tls?.alertReceived, host: tunnel.target.host)))
        recorder.fileTunnel()
        return .close(.settled)
    }

    func deadlinePassed(_ deadline: Deadline) -> Transition {
        let limits = context.loop.policy.limits
        switch state {
        case .waiting:
            guard deadline == .head, !client.inbox.isEmpty else { return .close(.settled) }
            client.write(
                GatePage(
                    status: 408, title: "The request did not arrive in time",
                    sentences: ["Its head was not complete within \(limits.head)."], wantsJSON: false),
                answering: nil, ends: true)
            return linger()
        case .acquiring(let load, let acquisition): return then(acquired(load, acquisition.timedOut()))
        case .carried(let exchange):
            switch deadline {
            case .halfClosed: return .close(.client(.left))
            case .head, .idle, .handshake, .answer, .linger:
                let error = exchange.waitsForClient ? .clientStalled(limits.idle) : context.unanswered(exchange.load)
                return then(fail(exchange.load, error))
            }
        }
    }

    func drain() -> Transition {
        switch state {
        case .waiting: return .close(.settled)
        case .acquiring(let load, _): load.endsClient = true
        case .carried(let exchange): if exchange.load.status == nil { exchange.load.endsClient = true }
        }
        return .stay
    }

    func end(_ reason: EndReason) {
        switch state {
        case .waiting: giveBackLink()
        case .acquiring(let load, let acquisition):
            abandon(load, reason)
            acquisition.cancel()
        case .carried(let exchange): abandon(exchange.load, reason)
        }
        recorder.fileTunnel()
        dropLink()
    }

    private func abandon(_ load: Load, _ reason: EndReason) {
        let finding = reason.finding(after: load.bytesReceived) ?? .clientGone(after: load.bytesReceived)
        recorder.file(load, .failed, diagnosis: DiagnosisCard(finding), on: link)
    }
}
