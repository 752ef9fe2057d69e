public import Reporting

/// How the loads of a gate come into a shared store.
public struct SpoolSigns: Sendable, Hashable {
    /// Loads that are not there yet.
    public var waiting = 0
    /// How long ago the oldest of them began; 0 for none.
    public var oldestSeconds = 0
    /// Loads that were given up because the spool was full, since the spool was made.
    public var dropped = 0
    /// What this gate did about it.
    public var forwarder = ForwarderFigures()

    public init() {}
}

extension SpoolSigns {
    func add(to metrics: inout Metrics) {
        metrics.add(.gauge, "atsgate_spool_rows", "Loads that are not in the shared store yet, about.", waiting)
        metrics.add(
            .gauge, "atsgate_spool_oldest_seconds", "How long ago the oldest of them began; 0 for none.", oldestSeconds)
        metrics.add(
            .counter, "atsgate_spool_dropped_total",
            "Loads that were given up because the spool was full, since the spool was made.", dropped)
        metrics.add(.counter, "atsgate_spool_shipped_total", "Loads that this gate shipped.", forwarder.shipped)
        metrics.add(
            .counter, "atsgate_spool_failures_total", "Connections with the shared store, and batches, that broke.",
            forwarder.failures)
        metrics.add(
            .counter, "atsgate_spool_refused_total",
            "Loads that the shared store does not take, or that cannot be read in the spool.", forwarder.refused)
        metrics.add(
            .gauge, "atsgate_spool_connected", "1 while this gate has a connection with the shared store.",
            forwarder.isConnected ? 1 : 0)
    }
}
