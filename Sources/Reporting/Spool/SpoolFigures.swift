import GRDB

/// The state of a spool at one moment, for metrics.
public struct SpoolFigures: Sendable, Hashable {
    /// The approximate number of loads up to this number that are not known to be in the shared store; see ``waiting``.
    public func waiting(upTo number: Int64) -> Int64 {
        first.map { max(0, min(number, last) - $0 + 1) } ?? 0
    }

    /// The spool's identity, 32 hexadecimal digits; nil if it was removed from the file.
    public var identity: String?
    /// Loads that are not known to be in the shared store; approximate if some were deleted.
    public var waiting: Int64 = 0
    /// The number of the first of them; nil if there is none.
    public var first: Int64?
    /// The highest number that a load was given; 0 if there was none.
    public var last: Int64 = 0
    /// When the oldest of them began, in milliseconds since 1970-01-01 UTC; nil if there is none.
    public var oldest: Int64?
    /// Loads that were dropped since the spool was made, because it was full.
    public var dropped: Int64 = 0
}

/// Reads the state of a spool. Has its own connection, because the forwarder may be waiting for a server.
public final class SpoolGauge: Sendable {
    private let database: StoreConnection

    /// - Throws: ``StoreError``.
    public init(path: String) throws(StoreError) {
        database = try StoreSink.open(path: path)
    }

    /// - Throws: ``StoreError``.
    public func figures() throws(StoreError) -> SpoolFigures {
        try database.reading { db in
            let state = try SpoolState.read(in: db)
            let shipped = state?.shipped ?? 0
            var figures = SpoolFigures()
            figures.identity = state?.identity
            figures.dropped = state?.dropped ?? 0
            let first = try db.first(firstSQL, [shipped]) { (try $0.number(0), try $0.time(1)) }
            figures.last = try StoreNumbers.last(in: db)
            guard let first else { return figures }
            figures.waiting = figures.last - first.0 + 1
            (figures.first, figures.oldest) = first
            return figures
        }
    }
}

private let firstSQL = "SELECT seq, time FROM load WHERE seq > ? ORDER BY seq LIMIT 1"

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
