public import ATSPolicy
public import NetLoop
import Text

/// Plans routes to origins from the user's options.
public struct DialPlanner: Sendable {
    /// The first match is used.
    public var connectTo: [ConnectTo]
    /// The proxy used to reach origins.
    public var parent: ParentProxy?
    /// Hosts that are dialed directly even with a parent.
    public var bypass: ParentBypass

    public init(connectTo: [ConnectTo] = [], parent: ParentProxy? = nil, bypass: ParentBypass = ParentBypass()) {
        self.connectTo = connectTo
        self.parent = parent
        self.bypass = bypass
    }

    /// Returns the route to `target`: `--connect-to` first, then the parent proxy, unless the host bypasses it.
    ///
    /// - Parameter isInTunnel: the parent must open a tunnel, because the bytes may not be HTTP/1.
    public func plan(to target: LoadTarget, isInTunnel: Bool) -> DialPlan {
        let detour = connectTo.first { $0.matches(target) }
        let place = DialPlan.Endpoint(host: detour?.toHost ?? target.host, port: detour?.toPort ?? target.port)
        guard let parent, !bypass.contains(place.host, place.port), !bypass.contains(target.host, target.port)
        else { return DialPlan(first: place, parent: nil, tunnel: nil, isChosen: detour?.toHost != nil) }
        // A parent that reads a request would use its URL and ignore `--connect-to`.
        let needsTunnel = isInTunnel || target.scheme == .https || detour != nil
        return DialPlan(
            first: DialPlan.Endpoint(host: parent.host, port: parent.port), parent: parent,
            tunnel: needsTunnel ? place : nil, isChosen: true)
    }
}

/// The route to an origin: the address to dial, and the tunnel to request from a parent proxy.
public struct DialPlan: Sendable {
    public struct Endpoint: Sendable, Hashable {
        public let host: String
        public let port: Int

        public init(host: String, port: Int) {
            self.host = host
            self.port = port
        }
    }

    /// The address to dial: the origin's, or the parent's.
    public let first: Endpoint
    public let parent: ParentProxy?
    /// The target of the parent's tunnel; nil if the parent reads the requests itself, or is not used.
    public let tunnel: Endpoint?
    /// True if the user chose the address, by a parent proxy or by `--connect-to`.
    public let isChosen: Bool

    /// The same route, using one address of the dialed name.
    public func over(_ address: String) -> DialPlan {
        DialPlan(
            first: Endpoint(host: address, port: first.port), parent: parent, tunnel: tunnel, isChosen: isChosen)
    }
}

/// One `--connect-to HOST:PORT:ADDR:PORT`, as curl's option of that name. nil matches every value, or keeps the
/// target's.
public struct ConnectTo: Sendable, Hashable {
    public var host: String?
    public var port: Int?
    public var toHost: String?
    public var toPort: Int?

    public init(host: String?, port: Int?, toHost: String?, toPort: Int?) {
        self.host = host.map { HostGrammar.normalized($0) }
        self.port = port
        self.toHost = toHost
        self.toPort = toPort
    }

    func matches(_ target: LoadTarget) -> Bool {
        (host.map { $0 == HostGrammar.normalized(target.host) } ?? true) && (port == nil || port == target.port)
    }
}

/// A connection that is ready for an origin.
public struct OriginSocket {
    public let stream: ByteStream
    /// The dialed `ADDRESS:PORT`.
    public let address: String
    /// Time from the name lookup to the connection, or to the parent's tunnel.
    public let microseconds: Int64
    /// The route of the connection.
    public let plan: DialPlan
    /// Bytes that the origin sent right after the parent's answer; the stream is attached if not nil.
    public let early: [UInt8]?
}

/// Makes one connection to an origin, directly or through a parent proxy. Releasing it does not cancel the dial.
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
    ///   - timeout: for the whole dial.
    ///   - completion: runs once on the loop, never before ``begin(with:on:)`` returns, and never after a cancellation.
    public init(
        _ dialPlan: DialPlan, timeout: Duration,
        completion: @escaping (Result<OriginSocket, NetworkFailure>) -> Void
    ) {
        self.dialPlan = dialPlan
        self.timeout = timeout
        self.completion = completion
    }

    /// - Parameter asker: the address of the client that it is for; empty for none.
    public func begin(
        with dialer: Dialer, for asker: String = "", _ rules: AddressRules, on loop: isolated EventLoop
    ) {
        began = loop.now
        ticket = dialer.dial(
            host: dialPlan.first.host, port: dialPlan.first.port, for: asker, rules: rules, timeout: timeout,
            on: loop
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
        _ parent: ParentProxy, for place: DialPlan.Endpoint, over stream: ByteStream, on loop: isolated EventLoop
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
    /// The failure as the rules name it.
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

    /// The failure as the rules name it. If the parent cannot be reached, the parent is at fault, not the origin.
    fileprivate func asNetworkFailure(of parent: ParentProxy?) -> NetworkFailure {
        guard let parent, let trouble = asParentTrouble else { return asNetworkFailure }
        return .parent(parent.name, trouble)
    }

    /// nil for failures of the gate itself.
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
