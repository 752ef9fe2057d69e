/// What a name turned out to be.
public enum NameAnswer: Hashable, Sendable {
    /// In the system's order of preference (RFC 6724); never empty.
    case addresses([HostAddress])
    /// The `EAI_` number of getaddrinfo(3), whose value and sign differ between systems.
    case failed(code: Int32)
}

/// Turns host names into addresses. The system's way is ``Resolver``; tests and pinned hosts bring their own.
public protocol NameResolving: Sendable {
    /// Returns what is known at once, or nil and calls `later` exactly once, on any thread.
    func answer(for host: String, later: @escaping @Sendable (NameAnswer) -> Void) -> NameAnswer?
}
