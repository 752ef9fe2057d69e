import CPoll

/// One search for a connection: a name, its addresses, the sockets that are trying.
///
/// It lives in a slot of its loop, without a descriptor of its own, until it is settled.
final class Dial {
    private let port: UInt16?
    private let rules: AddressRules
    /// The name's lookup, while it is under way.
    var question: NameQuestion?
    private let delay: Duration
    private var completion: ((Result<DialedSocket, DialFailure>) -> Void)?
    private var token = PollToken.none
    private var started: Int64 = 0
    private var isNamed = false
    private var untried: ArraySlice<HostAddress> = []
    private var attempts: [DialAttempt] = []
    private var errors: [Int32] = []
    /// The first address that the rules did not let through.
    private var barred: DialFailure?
    private var deadline: LoopTimer?
    private var stagger: LoopTimer?

    init(
        port: UInt16?, rules: AddressRules, delay: Duration,
        completion: @escaping (Result<DialedSocket, DialFailure>) -> Void
    ) {
        self.port = port
        self.rules = rules
        self.delay = delay
        self.completion = completion
    }

    /// Takes a slot and starts the clock. Returns nil when that was already the end.
    func begin(timeout: Duration, on loop: isolated EventLoop) -> PollToken? {
        guard let place = try? loop.adopt(self) else { return nil }
        token = place
        started = EventLoop.monotonicNanoseconds()
        let deadline = LoopTimer { [weak self] in self?.settle(.failure(.timeout), on: loop) }
        deadline.arm(after: timeout, on: loop)
        self.deadline = deadline
        return place
    }

    func named(_ answer: NameAnswer, on loop: isolated EventLoop) {
        guard token != .none, !isNamed else { return }
        isNamed = true
        question = nil
        switch answer {
        case .failed(let code): settle(.failure(.name(code: code)), on: loop)
        case .addresses(let list):
            untried = interleaved(list)[...]
            tryNext(on: loop)
        }
    }

    /// The owner does not want to hear of it any more.
    func forget() {
        completion = nil
    }

    /// Closes every socket and gives the slot back.
    func abandon(on loop: isolated EventLoop) {
        for attempt in attempts { attempt.close(on: loop) }
        attempts = []
        untried = []
        question?.abandon()
        question = nil
        deadline = nil
        stagger = nil
        loop.release(token)
        token = .none
    }

    func connected(_ winner: DialAttempt, on loop: isolated EventLoop) {
        let passed = EventLoop.monotonicNanoseconds() - started
        let (descriptor, interest) = winner.handOver(on: loop)
        let dialed = DialedSocket(
            descriptor: descriptor, interest: interest, address: winner.address.description,
            microseconds: passed / 1_000)
        settle(.success(dialed), on: loop)
    }

    func failed(_ loser: DialAttempt, errno: Int32, on loop: isolated EventLoop) {
        loser.close(on: loop)
        attempts.removeAll { $0 === loser }
        errors.append(errno)
        tryNext(on: loop)
    }

    /// Starts attempts until one is under way; RFC 8305 section 5: a failure does not wait for the delay.
    private func tryNext(on loop: isolated EventLoop) {
        guard token != .none else { return }
        guard let port else { return settle(.failure(.unreachable(errno: EINVAL)), on: loop) }
        while let address = untried.popFirst() {
            let target = SocketAddress(address: address, port: port)
            guard passes(target) else { continue }
            let attempt = DialAttempt(to: target, for: self)
            switch attempt.start(on: loop) {
            case .connected: return connected(attempt, on: loop)
            case .failed(let code): errors.append(code)
            case .underWay:
                attempts.append(attempt)
                if !untried.isEmpty { startStagger(on: loop) }
                return
            }
        }
        if attempts.isEmpty { settle(.failure(verdict), on: loop) }
    }

    /// Made only where another address is left: most dials never need it.
    private func startStagger(on loop: isolated EventLoop) {
        let stagger = stagger ?? LoopTimer { [weak self] in self?.tryNext(on: loop) }
        self.stagger = stagger
        stagger.arm(after: delay, on: loop)
    }

    /// Tested right before connecting, on the very address that is connected to.
    private func passes(_ target: SocketAddress) -> Bool {
        switch rules.verdict(on: target.address, port: target.port) {
        case .fine: return true
        case .own: barred = .own(address: target.description)
        case .forbidden: barred = barred ?? .forbidden(address: target.description)
        }
        return false
    }

    /// The completion runs after the batch, so never from within ``Dialer/dial(host:port:timeout:on:completion:)``.
    private func settle(_ result: Result<DialedSocket, DialFailure>, on loop: isolated EventLoop) {
        guard token != .none else { return }
        abandon(on: loop)
        loop.afterBatch {
            if let completion = self.completion {
                self.completion = nil
                completion(result)
            } else if case .success(let dialed) = result {
                dialed.close()
            }
        }
    }

    /// What to say when every address failed, from the most to the least telling.
    private var verdict: DialFailure {
        if let barred { return barred }
        if errors.contains(where: NetError.isDescriptorLimit) { return .descriptorLimit }
        if errors.contains(ECONNREFUSED) { return .refused }
        if errors.contains(ETIMEDOUT) { return .timeout }
        return .unreachable(errno: errors.last ?? EHOSTUNREACH)
    }
}

extension Dial: PollTarget {
    func ready(_ readiness: Readiness, on loop: isolated EventLoop) {}

    func loopStopped(on loop: isolated EventLoop) {
        forget()
        abandon(on: loop)
    }
}

/// RFC 8305 section 4: the families take turns, beginning with that of the first address; otherwise the system's order.
func interleaved(_ addresses: [HostAddress]) -> [HostAddress] {
    guard let first = addresses.first else { return [] }
    let preferred = addresses.filter { $0.isVersion6 == first.isVersion6 }
    let others = addresses.filter { $0.isVersion6 != first.isVersion6 }
    var result: [HostAddress] = []
    for index in 0..<max(preferred.count, others.count) {
        if index < preferred.count { result.append(preferred[index]) }
        if index < others.count { result.append(others[index]) }
    }
    return result
}
