/// How long connecting may take.
public struct DialTimeouts: Hashable, Sendable {
    /// From the question for the name to the connection.
    public var connect: Duration
    /// Until the next address is tried beside the last one: RFC 8305 section 5 recommends 250 ms.
    public var attemptDelay: Duration

    public init(connect: Duration = .seconds(10), attemptDelay: Duration = .milliseconds(250)) {
        self.connect = connect
        self.attemptDelay = attemptDelay
    }
}

/// A connection that stands.
///
/// To be given to a ``ByteStream`` on the loop that dialed, or closed.
public struct DialedSocket: Hashable, Sendable {
    let descriptor: Int32
    /// What the loop's poll set still watches it for.
    let interest: Readiness
    /// "192.0.2.1:443" or "[2001:db8::1]:443".
    public let address: String
    /// From the question for the name to the connection.
    public let microseconds: Int64

    /// Closes a connection that nobody wants after all.
    public func close() { closeDescriptor(descriptor) }
}

/// Why there is no connection.
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
    /// An address under which this process itself listens.
    case own(address: String)
}

/// Connects to hosts by "happy eyeballs" (RFC 8305): the families take turns, a slow address does not hold up the next
/// one, the first that connects wins.
public final class Dialer: Sendable {
    public let timeouts: DialTimeouts
    private let resolver: any NameResolving

    public init(resolver: any NameResolving = Resolver(), timeouts: DialTimeouts = DialTimeouts()) {
        self.resolver = resolver
        self.timeouts = timeouts
    }

    /// Looks `host` up (a name, an IP literal, brackets allowed) and connects.
    ///
    /// - Parameters:
    ///   - rules: tested on every address before it is tried.
    ///   - timeout: for all of it; nil takes ``DialTimeouts/connect``.
    ///   - completion: runs once on `loop`, never before this returns, and not at all after a cancellation or once the
    ///     loop has been stopped. May capture `loop`.
    @discardableResult
    public func dial(
        host: String, port: Int, rules: AddressRules = .none, timeout: Duration? = nil, on loop: isolated EventLoop,
        completion: @escaping (Result<DialedSocket, DialFailure>) -> Void
    ) -> DialTicket {
        let dial = Dial(
            port: UInt16(exactly: port), rules: rules, delay: timeouts.attemptDelay, completion: completion)
        guard let token = dial.begin(timeout: timeout ?? timeouts.connect, on: loop) else {
            return DialTicket(dial: dial, loop: loop, token: .none)
        }
        // The answer comes on another thread, which may know the dial by number only.
        let home: EventLoop = loop
        let reply = resolver.answer(for: host) { answer in
            home.submit { loop in
                (loop.slots.target(of: token) as? Dial)?.named(answer, on: loop)
            }
        }
        switch reply {
        case .known(let answer): dial.named(answer, on: loop)
        case .asked(let question): dial.question = question
        }
        return DialTicket(dial: dial, loop: loop, token: token)
    }
}

/// A dial under way. Dropping it does not cancel.
public final class DialTicket {
    private let dial: Dial
    private let loop: EventLoop
    private let token: PollToken

    init(dial: Dial, loop: EventLoop, token: PollToken) {
        self.dial = dial
        self.loop = loop
        self.token = token
    }

    /// The completion will not run. Sockets are closed a moment later. To be called on the dial's loop.
    public func cancel() {
        dial.forget()
        let token = token
        loop.submit { loop in
            (loop.slots.target(of: token) as? Dial)?.abandon(on: loop)
        }
    }
}
