/// How a forwarder fares, for numbers.
public struct ForwarderFigures: Sendable, Hashable {
    /// Loads that it brought into the shared store, since it began.
    public var shipped = 0
    /// Attempts that broke: connections, and batches.
    public var failures = 0
    /// Loads that the server does not take, or that cannot be read in the spool.
    public var refused = 0
    /// It has a connection.
    public var isConnected = false
    /// Why the last attempt broke, for people; nil once the server takes what it is sent.
    public var trouble: String?

    public init() {}
}
