import ATSPolicy

/// Writes a record as one line of JSON: the keys of the design's section 5, in its order, the same in every sink.
///
/// Every key is always there. What did not happen is `null`, an empty list is `[]`, times are ISO 8601 in UTC, and
/// spans are milliseconds with three decimals (`connectMs` and so on). `masked` comes last.
public struct RecordJSON: Sendable {
    private var cards = CardTexts()

    /// A writer for many records: it remembers the text of cards that they share, up to some hundred kilobytes.
    public init() {}

    /// Appends `record` without a line end, as the static `append` does.
    public mutating func append(_ record: LoadRecord, to bytes: inout [UInt8]) {
        var writer = JSONWriter()
        swap(&writer.bytes, &bytes)
        swap(&writer.cards, &cards)
        writer.record(record)
        swap(&writer.cards, &cards)
        swap(&writer.bytes, &bytes)
    }

    /// Appends `record` without a line end. The text is one line of valid JSON whatever bytes the load carried.
    public static func append(_ record: LoadRecord, to bytes: inout [UInt8]) {
        var writer = RecordJSON()
        writer.append(record, to: &bytes)
    }
}

extension JSONWriter {
    fileprivate mutating func record(_ record: LoadRecord) {
        raw(#"{"schema":"#)
        number(Int64(LoadRecord.schema))
        raw(#","id":"#)
        text(record.id)
        raw(#","time":"#)
        time(milliseconds: record.time)
        raw(#","recording":"#)
        text(record.recording)
        card(record.client) { $0.client($1) }
        load(record.load)
        card(record.policy) { $0.policy($1) }
        raw(#","verdict":"#)
        text(record.verdict.rawValue)
        raw(#","refusal":"#)
        text(record.refusal?.rawValue)
        diagnosisAndOrigin(record)
        raw(#","candidates":"#)
        list(record.candidates) { $0.candidate($1) }
        raw(#","status":"#)
        number(record.status)
        raw(#","bytes":{"sent":"#)
        number(record.bytesSent)
        raw(#","received":"#)
        number(record.bytesReceived)
        timing(record.timing)
        raw(#","via":"#)
        text(record.via)
        raw(#","removed":"#)
        texts(record.removed)
        raw(#","masked":"#)
        texts(record.masked)
        raw("}")
    }

    private mutating func client(_ client: ClientCard) {
        raw(#","client":{"address":"#)
        text(client.address)
        raw(#","label":"#)
        text(client.label)
        raw(#","userAgent":"#)
        text(client.userAgent)
        raw(#","loader":"#)
        text(client.loader.rawValue)
        raw(#","os":"#)
        text(client.os)
        raw(#","osEvidence":"#)
        text(client.osEvidence)
        raw(#","osNotes":"#)
        texts(client.osNotes)
        raw("}")
    }

    private mutating func load(_ load: LoadCard) {
        raw(#","load":{"method":"#)
        text(load.method)
        raw(#","url":""#)
        unquoted(load.target.origin)
        unquoted(load.pathOfURL)
        raw(#"","scheme":"#)
        text(load.target.scheme.rawValue)
        raw(#","host":"#)
        text(load.target.host)
        raw(#","port":"#)
        number(Int64(load.target.port))
        raw(#","protocol":"#)
        text(load.wireProtocol.rawValue)
        raw(#","parent":"#)
        text(load.parent)
        raw("}")
    }

    private mutating func policy(_ policy: PolicyCard) {
        raw(#","policy":{"source":"#)
        text(policy.source)
        raw(#","bundleID":"#)
        text(policy.bundleID)
        raw(#","os":"#)
        text(policy.os)
        raw(#","entry":"#)
        text(policy.basis?.entry)
        raw(#","key":"#)
        text(policy.basis?.keyPath)
        raw(#","builtIn":"#)
        flag(policy.basis?.isBuiltIn ?? false)
        raw("}")
    }

    private mutating func candidate(_ candidate: CandidateVerdict) {
        raw(#"{"source":"#)
        text(candidate.source)
        raw(#","verdict":"#)
        text(candidate.verdict.rawValue)
        raw(#","rule":"#)
        text(candidate.rule?.rawValue)
        raw("}")
    }

    private mutating func timing(_ timing: Timing) {
        raw(#"},"timing":{"connectMs":"#)
        milliseconds(timing.connect)
        raw(#","handshakeMs":"#)
        milliseconds(timing.handshake)
        raw(#","firstByteMs":"#)
        milliseconds(timing.firstByte)
        raw(#","totalMs":"#)
        milliseconds(timing.total)
        raw("}")
    }
}
