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
