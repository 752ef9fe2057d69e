public import Records

/// A place that records end up in. The archive calls one sink from one thread at a time.
public protocol RecordSink: Sendable {
    /// For messages to people, for example `store`.
    var name: String { get }

    /// Whether `FiledRecord.json` is read; the archive makes it only when some sink asks.
    var needsJSON: Bool { get }

    /// Records all of `records`, or throws. May block.
    ///
    /// - Throws: ``PartialWrite`` when only the first few were recorded, any other error when none was. The archive
    ///   comes again later with the rest.
    func write(_ records: [FiledRecord]) throws

    /// Called once, after the last `write`.
    func close() throws
}

extension RecordSink {
    public var needsJSON: Bool { true }
}

/// A record with its id, already redacted, and its JSON line, made once for all sinks.
public struct FiledRecord: Sendable {
    public let record: LoadRecord
    /// Without a line end; empty when no sink asked for it.
    public let json: [UInt8]

    public init(record: LoadRecord, json: [UInt8]) {
        self.record = record
        self.json = json
    }
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
