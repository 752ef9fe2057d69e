/// The state of a forwarder, for metrics.
public struct ForwarderFigures: Sendable, Hashable {
    /// Loads shipped to the shared store since it started.
    public var shipped = 0
    /// Failed attempts: connections, and batches.
    public var failures = 0
    /// Loads that the server rejected, or whose text it cannot store.
    public var refused = 0
    /// True if it is connected.
    public var isConnected = false
    /// The reason why the last attempt failed, for the user; nil once the server accepts loads again.
    public var trouble: String?

    public init() {}
}
