public import Records

/// A destination for records. The archive calls a sink from one thread at a time.
public protocol RecordSink: Sendable {
    /// The name in messages to people, for example `store`.
    var name: String { get }

    /// The kind of sink, for metrics.
    var kind: SinkKind { get }

    /// Records all of `records`, which have ids and are redacted, or throws. May block.
    ///
    /// - Throws: ``PartialWrite`` if only the first few were recorded, any other error if none was. The archive retries
    ///   with the rest.
    func write(_ records: [LoadRecord]) throws

    /// Called once, after the last `write`.
    func close() throws
}

extension RecordSink {
    public var kind: SinkKind { .inner }
}

/// The kinds of sinks, without file names. Raw values are shown to users.
public enum SinkKind: String, Sendable, CaseIterable {
    case store, json, console
    /// The gate's own use of records, for example for its page.
    case inner
}

/// Part of a batch was recorded before an error.
public struct PartialWrite: Error, Sendable {
    /// The number of records, from the start of the batch, that are stored.
    public let recorded: Int
    public let cause: String

    public init(recorded: Int, cause: String) {
        self.recorded = recorded
        self.cause = cause
    }
}
