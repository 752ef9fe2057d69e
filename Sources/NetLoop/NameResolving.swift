/// What a name turned out to be.
public enum NameAnswer: Hashable, Sendable {
    /// In the system's order of preference (RFC 6724); never empty.
    case addresses([HostAddress])
    /// The `EAI_` number of getaddrinfo(3), whose value and sign differ between systems.
    case failed(code: Int32)
}

/// What asking for a name leads to.
public enum NameReply: Sendable {
    case known(NameAnswer)
    /// The answer comes later, exactly once, unless the question is abandoned.
    case asked(NameQuestion)
}

/// A question under way. Dropping it does not abandon it.
public final class NameQuestion: Sendable {
    private let whenAbandoned: @Sendable () -> Void

    public init(whenAbandoned: @escaping @Sendable () -> Void) { self.whenAbandoned = whenAbandoned }

    /// Nobody wants the answer any more; it may still come when it was on its way. May be called again.
    public func abandon() { whenAbandoned() }
}

/// Turns host names into addresses. The system's way is ``Resolver``; tests and pinned hosts bring their own.
public protocol NameResolving: Sendable {
    /// - Parameter later: runs at most once, on any thread, and not at all where the answer is known at once.
    func answer(for host: String, later: @escaping @Sendable (NameAnswer) -> Void) -> NameReply
}
