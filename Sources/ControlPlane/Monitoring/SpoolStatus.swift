public import Reporting

/// The state of a gate's shipping to a shared store.
public struct SpoolStatus: Sendable, Hashable {
    /// Loads that are not shipped yet.
    public var waiting = 0
    /// The age of the oldest of them; 0 if there are none.
    public var oldestSeconds = 0
    /// Loads that were dropped because the spool was full, since the spool was created.
    public var dropped = 0
    /// The forwarder's counters.
    public var forwarder = ForwarderFigures()

    public init() {}
}

extension SpoolStatus {
    func add(to metrics: inout Metrics) {
        metrics.add(.gauge, "atsgate_spool_rows", "Loads that are not in the shared store yet, approximately.", waiting)
        metrics.add(
            .gauge, "atsgate_spool_oldest_seconds", "Age of the oldest of them; 0 if there are none.", oldestSeconds)
        metrics.add(
            .counter, "atsgate_spool_dropped_total",
            "Loads that were dropped because the spool was full, since it was created.", dropped)
        metrics.add(.counter, "atsgate_spool_shipped_total", "Loads that this gate shipped.", forwarder.shipped)
        metrics.add(
            .counter, "atsgate_spool_failures_total", "Failed connections and batches to the shared store.",
            forwarder.failures)
        metrics.add(
            .counter, "atsgate_spool_refused_total",
            "Loads that the shared store rejected, or that cannot be read in the spool.", forwarder.refused)
        metrics.add(
            .gauge, "atsgate_spool_connected", "1 while this gate is connected to the shared store.",
            forwarder.isConnected ? 1 : 0)
    }
}
