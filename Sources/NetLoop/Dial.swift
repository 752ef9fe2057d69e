import CPoll

/// One attempt to connect to a host: the name, its addresses, and the sockets that are connecting.
///
/// It occupies a slot of its loop, without a descriptor, until it ends.
final class Dial {
    private let port: UInt16?
    private let rules: AddressRules
    /// The name lookup, while it is in progress.
    var question: Lookup?
    private let delay: Duration
    private var completion: ((Result<DialedSocket, DialFailure>) -> Void)?
    private var token = PollToken.none
    private var started: Int64 = 0
    private var isNamed = false
    private var untried: ArraySlice<HostAddress> = []
    private var attempts: [DialAttempt] = []
    private var errors: [Int32] = []
    /// The failure for the first address that the rules rejected.
    private var ruleFailure: DialFailure?
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

    /// Takes a slot and starts the deadline. Returns nil if the loop was stopped.
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

    /// Drops the completion, because the owner cancelled.
    func dropCompletion() {
        completion = nil
    }

    /// Closes every socket and releases the slot.
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

    /// Starts attempts until one is in progress. A failed attempt does not wait for the delay (RFC 8305 section 5).
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

    /// Starts the delay before the next address. The timer is created only if another address is left: most dials never
    /// need it.
    private func startStagger(on loop: isolated EventLoop) {
        let stagger = stagger ?? LoopTimer { [weak self] in self?.tryNext(on: loop) }
        self.stagger = stagger
        stagger.arm(after: delay, on: loop)
    }

    /// Checks the rules right before connecting, on the exact address of the connection.
    private func passes(_ target: SocketAddress) -> Bool {
        switch rules.verdict(on: target.address, port: target.port) {
        case .fine: return true
        case .own: ruleFailure = .own(address: target.description)
        case .forbidden: ruleFailure = ruleFailure ?? .forbidden(address: target.description)
        }
        return false
    }

    /// Ends the dial. The completion runs after the batch, so never within
    /// ``Dialer/dial(host:port:timeout:on:completion:)``.
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

    /// The failure to report after every address failed, the most specific one first.
    private var verdict: DialFailure {
        if let ruleFailure { return ruleFailure }
        if errors.contains(where: NetError.isDescriptorLimit) { return .descriptorLimit }
        if errors.contains(ECONNREFUSED) { return .refused }
        if errors.contains(ETIMEDOUT) { return .timeout }
        return .unreachable(errno: errors.last ?? EHOSTUNREACH)
    }
}

extension Dial: PollTarget {
    func ready(_ readiness: Readiness, on loop: isolated EventLoop) {}

    func loopStopped(on loop: isolated EventLoop) {
        dropCompletion()
        abandon(on: loop)
    }
}

/// Alternates between the address families, starting with that of the first address (RFC 8305 section 4). Within a
/// family the system's order stays.
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
