import CPoll

/// The time limits of connecting.
public struct DialTimeouts: Hashable, Sendable {
    /// From the name lookup to the connection.
    public var connect: Duration
    /// The delay before the next address is tried in parallel: RFC 8305 section 5 recommends 250 ms.
    public var attemptDelay: Duration

    public init(connect: Duration = .seconds(10), attemptDelay: Duration = .milliseconds(250)) {
        self.connect = connect
        self.attemptDelay = attemptDelay
    }
}

/// An established connection.
///
/// Pass it to a ``ByteStream`` on the loop that dialed, or close it.
public struct DialedSocket: Hashable, Sendable {
    let descriptor: Int32
    /// The interest that the loop's poll set still has.
    let interest: Readiness
    /// "192.0.2.1:443" or "[2001:db8::1]:443".
    public let address: String
    /// From the name lookup to the connection.
    public let microseconds: Int64

    /// Closes a connection that is not needed.
    public func close() { closeDescriptor(descriptor) }
}

/// The reason why a dial failed.
public enum DialFailure: Error, Hashable, Sendable {
    /// The name has no addresses; the number is getaddrinfo's.
    case name(code: Int32)
    case refused
    case timeout
    case unreachable(errno: Int32)
    /// The process or the system has no descriptors left: our fault, not the origin's.
    case descriptorLimit
    /// An address that the ``AddressRules`` of this dial forbid.
    case forbidden(address: String)
    /// An address where this process itself listens.
    case own(address: String)
}

/// Connects to hosts by "happy eyeballs" (RFC 8305): address families alternate, a slow address does not delay the next
/// one, and the first connection wins.
public final class Dialer: Sendable {
    public let timeouts: DialTimeouts
    private let resolver: any NameResolving

    public init(resolver: any NameResolving = Resolver(), timeouts: DialTimeouts = DialTimeouts()) {
        self.resolver = resolver
        self.timeouts = timeouts
    }

    /// Resolves `host` (a name or an IP literal, brackets allowed) and connects.
    ///
    /// - Parameters:
    ///   - asker: the address of the client that the dial is for, to share out lookups; empty for none.
    ///   - rules: checked on every address before it is tried.
    ///   - timeout: for the whole dial; nil means ``DialTimeouts/connect``.
    ///   - completion: runs once on `loop`, never before this function returns. Does not run after a cancellation, or
    ///     after the loop was stopped. May capture `loop`.
    @discardableResult
    public func dial(
        host: String, port: Int, for asker: String = "", rules: AddressRules = .none, timeout: Duration? = nil,
        on loop: isolated EventLoop, completion: @escaping (Result<DialedSocket, DialFailure>) -> Void
    ) -> DialTicket {
        let dial = Dial(
            port: UInt16(exactly: port), rules: rules, delay: timeouts.attemptDelay, completion: completion)
        guard let token = dial.begin(timeout: timeout ?? timeouts.connect, on: loop) else {
            return DialTicket(dial: dial, loop: loop, token: .none)
        }
        // The answer arrives on another thread, which must refer to the dial by its token.
        let home: EventLoop = loop
        let reply = resolver.answer(for: host, from: asker) { answer in
            home.submit { loop in
                (loop.slots.target(of: token) as? Dial)?.named(answer, on: loop)
            }
        }
        switch reply {
        case .known(let answer): dial.named(answer, on: loop)
        case .pending(let question): dial.question = question
        }
        return DialTicket(dial: dial, loop: loop, token: token)
    }
}

/// A dial in progress. Releasing it does not cancel.
public final class DialTicket {
    private let dial: Dial
    private let loop: EventLoop
    private let token: PollToken

    init(dial: Dial, loop: EventLoop, token: PollToken) {
        self.dial = dial
        self.loop = loop
        self.token = token
    }

    /// Cancels the dial: the completion does not run, and its sockets close a moment later. Call it on the dial's loop.
    public func cancel() {
        dial.dropCompletion()
        let token = token
        loop.submit { loop in
            (loop.slots.target(of: token) as? Dial)?.abandon(on: loop)
        }
    }
}

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

/// A socket that connects to one address.
final class DialAttempt {
    enum Start {
        case connected, underWay
        case failed(errno: Int32)
    }

    let address: SocketAddress
    private unowned let dial: Dial
    private var descriptor: Int32 = -1
    private var token = PollToken.none

    init(to address: SocketAddress, for dial: Dial) {
        self.address = address
        self.dial = dial
    }

    deinit {
        if descriptor >= 0 { closeDescriptor(descriptor) }
    }

    func start(on loop: isolated EventLoop) -> Start {
        var system = address.address.cpoll(port: address.port)
        let answer = cpoll_connect(&system, &descriptor)
        if answer < 0 { return .failed(errno: -answer) }
        if answer == 1 { return .connected }
        guard let place = try? loop.adopt(self) else { return .failed(errno: ECANCELED) }
        token = place
        let code = loop.watch(descriptor, as: place, for: .write)
        guard code == 0 else {
            close(on: loop)
            return .failed(errno: -code)
        }
        return .underWay
    }

    func close(on loop: isolated EventLoop) {
        loop.release(token)
        token = .none
        if descriptor >= 0 { closeDescriptor(descriptor) }
        descriptor = -1
    }

    /// Returns the socket and its interest in the poll set. Reports for it are ignored until the next owner sets an
    /// interest.
    func handOver(on loop: isolated EventLoop) -> (descriptor: Int32, interest: Readiness) {
        let interest: Readiness = token == .none ? [] : .write
        loop.release(token)
        token = .none
        defer { descriptor = -1 }
        return (descriptor, interest)
    }
}

extension DialAttempt: PollTarget {
    func ready(_ readiness: Readiness, on loop: isolated EventLoop) {
        let code = cpoll_error(descriptor)
        if code != 0 {
            dial.failed(self, errno: code, on: loop)
        } else if readiness.contains(.write) {
            dial.connected(self, on: loop)
        }
    }

    func loopStopped(on loop: isolated EventLoop) {
        close(on: loop)
    }
}
