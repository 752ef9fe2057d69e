import ATSPolicy
import HTTPWire
import OriginHandshake
import Records

/// The origin's half of an HTTP/1 client: the load in flight, and the link kept for the next.
final class HTTP1OriginSide {
    private enum State {
        case idle
        case acquiring(Load, LinkAcquisition)
        case carried(HTTP1Exchange)
    }

    /// The link of the load in flight, or of the last one.
    private(set) var link: OriginLink?
    private let context: SessionContext
    private let tunnel: Tunnel?
    private var state = State.idle

    init(_ context: SessionContext, in tunnel: Tunnel?, over link: OriginLink?) {
        self.context = context
        self.tunnel = tunnel
        self.link = link
    }

    /// True between loads.
    var isIdle: Bool {
        if case .idle = state { true } else { false }
    }

    /// nil between loads.
    var load: Load? {
        switch state {
        case .idle: nil
        case .acquiring(let load, _): load
        case .carried(let exchange): exchange.load
        }
    }

    /// The load in flight, once it has a link.
    var exchange: HTTP1Exchange? {
        if case .carried(let exchange) = state { exchange } else { nil }
    }

    // MARK: A load and its link

    /// Starts a load on the kept link, or orders a new one.
    func carry(_ load: Load) -> HTTP1Outcome {
        if let link, isFit(link, for: load.ruled) { return carry(load, over: link, isNew: false) }
        giveBack()
        return order(for: load, mayReuse: true)
    }

    private func order(for load: Load, mayReuse: Bool) -> HTTP1Outcome {
        context.disarm()
        let address = tunnel?.addressToDial
        let acquisition = LinkAcquisition(
            context, in: tunnel, under: load.ruled, dialing: address ?? load.ruled.permit)
        state = .acquiring(load, acquisition)
        acquisition.order(mayReuse: mayReuse && address == nil)
        return .going
    }

    /// True if the kept link may carry a load as it is. A tunnel's link may have been dialed for an address.
    private func isFit(_ link: OriginLink, for ruled: TargetRuling) -> Bool {
        (tunnel != nil || link.key == ruled.key) && link.isGood(for: ruled)
    }

    /// Rules again on a load without a link, because the policy changed.
    private func readmit(_ load: Load) -> HTTP1Outcome {
        switch context.readmit(load, in: tunnel) {
        case .carry, nil: order(for: load, mayReuse: false)
        case .refuse(let diagnosis): .refused(diagnosis, nil)
        case .fail(let answer): .failed(answer)
        }
    }

    private func acquired(_ load: Load, _ outcome: LinkAcquisition.Outcome) -> HTTP1Outcome {
        switch outcome {
        case .going: return .going
        case .ready(let link):
            self.link = link
            return carry(load, over: link, isNew: !link.hasRested)
        case .unreachable(let failure): return .failed(context.unreachable(failure, for: load))
        case .refused(let origin, let failure):
            let diagnosis = context.diagnosis(of: origin, under: load.ruled, path: load.pathText)
            if failure.verdict == .blocked { return .refused(diagnosis, origin.recorded) }
            return .failed(.brokenHandshake(failure, diagnosis), origin.recorded)
        case .faulted(let fault): return .failed(.fault(fault))
        case .outdated: return readmit(load)
        }
    }

    private func carry(_ load: Load, over link: OriginLink, isNew: Bool) -> HTTP1Outcome {
        let exchange = HTTP1Exchange(load, over: link, isNew: isNew, context)
        state = .carried(exchange)
        return moved(exchange, exchange.start())
    }

    private func moved(_ exchange: HTTP1Exchange, _ outcome: HTTP1Outcome) -> HTTP1Outcome {
        switch outcome {
        case .upgraded: link = nil
        case .lost:
            let load = exchange.load
            guard load.takeRetry(if: !exchange.hasNewLink && load.mayRetry) else { break }
            drop()
            return order(for: load, mayReuse: false)
        case .going, .done, .answeredEarly, .refused, .failed, .malformedRequest, .clientLeft: break
        }
        return outcome
    }

    /// Ends the load. The link is kept if another load may use it.
    func finish() {
        state = .idle
        guard let link else { return }
        guard link.isReusable else { return drop() }
        context.release(link, .clientFull)
    }

    // MARK: Events

    func clientSent() -> HTTP1Outcome {
        if let exchange { return moved(exchange, exchange.clientSent()) }
        context.boundInbox()
        return .going
    }

    func clientEnded() -> HTTP1Outcome {
        exchange.map { moved($0, $0.clientEnded()) } ?? .going
    }

    func connected(_ link: OriginLink) -> HTTP1Outcome {
        guard case .acquiring(let load, let acquisition) = state else {
            context.giveBack(link)
            return .going
        }
        return acquired(load, acquisition.connected(link))
    }

    func dialFailed(_ failure: NetworkFailure) -> HTTP1Outcome {
        guard case .acquiring(let load, let acquisition) = state else { return .going }
        return acquired(load, acquisition.dialFailed(failure))
    }

    func originSent(_ bytes: UnsafeRawBufferPointer, on link: OriginLink) -> HTTP1Outcome {
        switch state {
        case .acquiring(let load, let acquisition): return acquired(load, acquisition.originSent(bytes, on: link))
        case .carried(let exchange):
            return link === exchange.link ? moved(exchange, exchange.originSent(bytes)) : .going
        case .idle:
            // TLS 1.3 session tickets may arrive late; any other data without a request ends the link.
            if link === self.link, !link.staysFit(after: bytes) { drop() }
            return .going
        }
    }

    func originEnded(_ link: OriginLink, reset: Bool) -> HTTP1Outcome {
        switch state {
        case .acquiring(let load, let acquisition):
            return acquired(load, acquisition.originEnded(link, reset: reset))
        case .carried(let exchange):
            return link === exchange.link ? moved(exchange, exchange.originEnded(reset: reset)) : .going
        case .idle:
            if link === self.link { drop() }
            return .going
        }
    }

    func deadlinePassed(_ deadline: Deadline) -> HTTP1Outcome {
        switch state {
        case .idle: return .going
        case .acquiring(let load, let acquisition): return acquired(load, acquisition.timedOut())
        case .carried(let exchange):
            switch deadline {
            case .halfClosed: return .clientLeft
            case .head, .idle, .rest, .handshake, .answer, .linger:
                guard exchange.waitsForClient else { return .failed(context.unanswered(exchange.load)) }
                return .failed(.clientStalled(context.loop.policy.rules.limits.idle))
            }
        }
    }

    // MARK: Flow

    /// The link whose full outbox pauses the client.
    var awaitedLink: OriginLink? {
        guard !context.flow.client.isEmpty, let exchange, !exchange.load.requestIsWhole else { return nil }
        return exchange.link
    }

    /// The number of the link's next bytes that may be spliced to the client unread; nil for none.
    func answerSpliceLimit(on link: OriginLink) -> Int? {
        guard let exchange, exchange.link === link, context.client.tls == nil, link.tls == nil else { return nil }
        return exchange.answerSpliceLimit
    }

    func answerPassed(_ count: Int, on link: OriginLink, waiting: Int) {
        if let exchange, exchange.link === link { exchange.answerPassed(count, waiting: waiting) }
    }

    // MARK: Releasing

    /// Stops acquiring a link, if that is in progress.
    func cancel() {
        if case .acquiring(_, let acquisition) = state { acquisition.cancel() }
        state = .idle
    }

    /// True if the link of the last load could be given back.
    var mayRest: Bool { link.map { !$0.hasLogin } ?? false }

    /// Gives the link of the last load back; the next one takes a link as a new client's would.
    func rest() {
        if mayRest { giveBack() }
    }

    func giveBack() {
        if let link { context.giveBack(link) }
        link = nil
    }

    func drop() {
        if let link { context.drop(link) }
        link = nil
    }
}

/// The outcome of an event for the load of an HTTP/1 client.
enum HTTP1Outcome {
    case going
    /// Request and response are complete.
    case done
    /// The origin answered before it had the whole request; the rest is discarded.
    case answeredEarly
    /// The link now carries another protocol.
    case upgraded(OriginLink)
    /// The link broke before the response was complete.
    case lost(OriginLink, reset: Bool)
    /// A device would not have loaded from there.
    case refused(RecordedDiagnosis, RecordedOrigin?)
    case failed(ErrorAnswer, RecordedOrigin? = nil)
    case malformedRequest(WireError)
    case clientLeft
}
