public import Records

/// A place that records end up in. The archive calls one sink from one thread at a time.
public protocol RecordSink: Sendable {
    /// For messages to people, for example `store`.
    var name: String { get }

    /// Which of a few it is, for numbers.
    var kind: SinkKind { get }

    /// Records all of `records`, which have their ids and are redacted, or throws. May block.
    ///
    /// - Throws: ``PartialWrite`` when only the first few were recorded, any other error when none was. The archive
    ///   comes again later with the rest.
    func write(_ records: [LoadRecord]) throws

    /// Called once, after the last `write`.
    func close() throws
}

extension RecordSink {
    public var kind: SinkKind { .inner }
}

/// What records end up in, told without the name of any file. Raw values are shown.
public enum SinkKind: String, Sendable, CaseIterable {
    case store, json, console
    /// What the gate itself makes of them, such as its page.
    case inner
}

/// Some of a batch was recorded before something broke.
public struct PartialWrite: Error, Sendable {
    /// How many records from the start of the batch need not come again.
    public let recorded: Int
    public let cause: String

    public init(recorded: Int, cause: String) {
        self.recorded = recorded
        self.cause = cause
    }
}
