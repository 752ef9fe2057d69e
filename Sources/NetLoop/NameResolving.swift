/// The result of a name lookup.
public enum NameAnswer: Hashable, Sendable {
    /// In the system's order of preference (RFC 6724); never empty.
    case addresses([HostAddress])
    /// The `EAI_` number of getaddrinfo(3), whose value and sign differ between systems.
    case failed(code: Int32)
}

/// The immediate answer of a resolver.
public enum NameReply: Sendable {
    case known(NameAnswer)
    /// The answer comes later, exactly once, unless the lookup is abandoned.
    case pending(Lookup)
}

/// A lookup in progress. Releasing it does not abandon it.
public final class Lookup: Sendable {
    private let whenAbandoned: @Sendable () -> Void

    public init(whenAbandoned: @escaping @Sendable () -> Void) { self.whenAbandoned = whenAbandoned }

    /// Abandons the lookup. An answer that was on its way may still arrive. May be called again.
    public func abandon() { whenAbandoned() }
}

/// Resolves host names to addresses. ``Resolver`` uses the system; tests and pinned hosts use their own.
public protocol NameResolving: Sendable {
    /// Looks up a name.
    ///
    /// - Parameter later: runs at most once, on any thread. Does not run if the returned reply is the answer.
    func answer(for host: String, later: @escaping @Sendable (NameAnswer) -> Void) -> NameReply

    /// The same for a client, by its address, so that one client cannot use up the lookups of all.
    func answer(
        for host: String, from asker: String, later: @escaping @Sendable (NameAnswer) -> Void
    ) -> NameReply
}

extension NameResolving {
    public func answer(
        for host: String, from asker: String, later: @escaping @Sendable (NameAnswer) -> Void
    ) -> NameReply { answer(for: host, later: later) }
}
