public import ATSPolicy
public import NetLoop

/// A connection that can be made an origin's.
public struct OriginSocket {
    public let stream: ByteStream
    /// `ADDRESS:PORT` that was dialed.
    public let address: String
    /// From the question for the name to the connection, or to the parent's tunnel.
    public let microseconds: Int64
    /// The way that it took.
    public let plan: DialPlan
    /// What the origin said right behind a parent's answer; the stream is attached then.
    public let early: [UInt8]?
}

/// The making of one connection to an origin, directly or through a parent proxy. Dropping it does not cancel.
public final class OriginDial {
    private let dialPlan: DialPlan
    private let timeout: Duration
    private var completion: ((Result<OriginSocket, NetworkFailure>) -> Void)?
    private var ticket: DialTicket?
    private var stream: ByteStream?
    private var timer: LoopTimer?
    private let tunnel = ParentTunnel()
    private var began: Int64 = 0

    /// - Parameters:
    ///   - timeout: for all of it.
    ///   - completion: runs once on the loop, never before ``begin(with:on:)`` returns, not at all after a
    /// cancellation.
    public init(
        _ dialPlan: DialPlan, timeout: Duration,
        completion: @escaping (Result<OriginSocket, NetworkFailure>) -> Void
    ) {
        self.dialPlan = dialPlan
        self.timeout = timeout
        self.completion = completion
    }

    public func begin(with dialer: Dialer, _ rules: AddressRules, on loop: isolated EventLoop) {
        began = loop.now
        ticket = dialer.dial(
            host: dialPlan.first.host, port: dialPlan.first.port, rules: rules, timeout: timeout, on: loop
        ) { result in
            self.ticket = nil
            self.dialed(result, on: loop)
        }
    }

    public func cancel(on loop: isolated EventLoop) {
        completion = nil
        ticket?.cancel()
        ticket = nil
        hangUp(on: loop)
    }

    private func dialed(_ result: Result<DialedSocket, DialFailure>, on loop: isolated EventLoop) {
        switch result {
        case .failure(let failure): settle(.failure(failure.asNetworkFailure(of: dialPlan.parent)))
        case .success(let dialed):
            let stream = ByteStream(dialed, handler: nil)
            if let parent = dialPlan.parent, let place = dialPlan.tunnel {
                return ask(parent, for: place, over: stream, on: loop)
            }
            succeed(with: stream, microseconds: dialed.microseconds, early: nil)
        }
    }

    private func ask(
        _ parent: ParentProxy, for place: DialPlan.Place, over stream: ByteStream, on loop: isolated EventLoop
    ) {
        self.stream = stream
        stream.handler = self
        do {
            try stream.attach(to: loop)
        } catch {
            hangUp(on: loop)
            return settle(.failure(.noDescriptors))
        }
        let timer = LoopTimer { [weak self] in self?.fail(.timeout, on: loop) }
        timer.arm(after: timeout - .nanoseconds(loop.now - began), on: loop)
        self.timer = timer
        tunnel.ask(
            host: place.host, port: place.port, authorization: parent.authorization, to: stream.outbox)
        stream.flush(on: loop)
    }

    private func fail(_ trouble: ParentTrouble, on loop: isolated EventLoop) {
        hangUp(on: loop)
        settle(.failure(.parent(dialPlan.parent?.name ?? "", trouble)))
    }

    private func hangUp(on loop: isolated EventLoop) {
        timer = nil
        stream?.close(on: loop)
        stream = nil
    }

    private func succeed(with stream: ByteStream, microseconds: Int64, early: [UInt8]?) {
        settle(
            .success(
                OriginSocket(
                    stream: stream, address: stream.peerAddress, microseconds: microseconds, plan: dialPlan,
                    early: early)))
    }

    private func settle(_ result: Result<OriginSocket, NetworkFailure>) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }
}

extension OriginDial: StreamHandler {
    public func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop) {
        switch tunnel.receive(bytes) {
        case .waiting: return
        case .failed(let trouble): fail(trouble, on: loop)
        case .open(let early):
            timer = nil
            self.stream = nil
            succeed(with: stream, microseconds: (loop.now - began) / 1_000, early: early)
        }
    }

    public func ended(_ stream: ByteStream, on loop: isolated EventLoop) { fail(.gaveNoAnswer, on: loop) }

    public func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) {
        fail(.reset(errno: errno), on: loop)
    }

    public func drained(_ stream: ByteStream, on loop: isolated EventLoop) {}
}

extension DialFailure {
    /// In the law's words.
    fileprivate var asNetworkFailure: NetworkFailure {
        switch self {
        case .name(let code): .name(code: code)
        case .refused: .refused
        case .forbidden: .forbidden
        case .own: .ownAddress
        case .timeout: .timeout
        case .unreachable(let errno): .reset(errno: errno)
        case .descriptorLimit: .noDescriptors
        }
    }

    /// In the law's words; a parent that can not be reached is the parent's trouble, not the origin's.
    fileprivate func asNetworkFailure(of parent: ParentProxy?) -> NetworkFailure {
        guard let parent, let trouble = asParentTrouble else { return asNetworkFailure }
        return .parent(parent.name, trouble)
    }

    /// nil for what is the gate's own trouble.
    private var asParentTrouble: ParentTrouble? {
        switch self {
        case .name(let code): .name(code: code)
        case .refused: .refused
        case .timeout: .timeout
        case .unreachable(let errno): .reset(errno: errno)
        case .descriptorLimit, .forbidden, .own: nil
        }
    }
}
