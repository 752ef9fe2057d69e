import Text

/// Writes a record as one line of JSON: the keys of docs/record.md, in its order, the same in every sink.
///
/// ``RecordFields`` lists the fields.
public struct RecordJSON: Sendable {
    private var cache = RecordFormCache()
    private var scratch: [UInt8] = []

    /// A writer for many records. It caches the forms that they share, up to a few megabytes.
    public init() {}

    /// Appends `record` without a line end, as the static `append` does.
    public mutating func append(_ record: LoadRecord, to bytes: inout [UInt8]) {
        let form = form(of: record)
        scratch.removeAll(keepingCapacity: true)
        Self.appendEntry(of: record, to: &scratch)
        let isFilled = scratch.withUnsafeBufferPointer { form.fill(from: $0, to: &bytes) }
        assert(isFilled, "a form has as many blanks as an entry has values")
    }

    /// Appends `record` without a line end. The text is one line of valid JSON for any bytes that the load carried.
    public static func append(_ record: LoadRecord, to bytes: inout [UInt8]) {
        var writer = RecordJSON()
        writer.append(record, to: &bytes)
    }

    /// Returns the part of `record` that it shares with others.
    public mutating func form(of record: LoadRecord) -> RecordForm {
        cache.form(of: record)
    }

    /// Appends the values for the blanks of the record's form.
    public static func appendEntry(of record: LoadRecord, to bytes: inout [UInt8]) {
        var writer = JSONWriter()
        swap(&writer.bytes, &bytes)
        RecordFields.catalog.entry(of: record, to: &writer)
        swap(&writer.bytes, &bytes)
    }
}

extension JSONWriter {
    /// Appends a quoted ISO 8601 time in UTC with milliseconds, for example `"2026-02-03T04:05:06.789Z"`.
    mutating func time(milliseconds: Int64) {
        let (seconds, rest) = milliseconds.dividedDown(by: 1000)
        shortText {
            $0.byte(quote)
            $0.dateAndTime(seconds: seconds)
            $0.byte(UInt8(ascii: "."))
            $0.digits(UInt64(rest), count: 3)
            $0.byte(UInt8(ascii: "Z"))
            $0.byte(quote)
        }
    }

    /// Appends a quoted ISO 8601 time in UTC without a fraction, for example `"2026-02-03T04:05:06Z"`.
    mutating func time(seconds: Int64) {
        shortText {
            $0.byte(quote)
            $0.dateAndTime(seconds: seconds)
            $0.byte(UInt8(ascii: "Z"))
            $0.byte(quote)
        }
    }
}

/// Times in the format of records.
public enum RecordTime {
    /// ISO 8601 in UTC, for example `2026-02-03T04:05:06.789Z`.
    ///
    /// - Parameter milliseconds: since 1970-01-01 UTC.
    public static func text(milliseconds: Int64) -> String {
        var writer = JSONWriter()
        writer.time(milliseconds: milliseconds)
        return String(decoding: writer.bytes.dropFirst().dropLast(), as: UTF8.self)
    }
}

extension ShortText {
    /// Appends a date and time. Years outside 0 to 9999 have no agreed ISO 8601 form, so other times are clamped to
    /// that range.
    fileprivate mutating func dateAndTime(seconds: Int64) {
        let (days, second) = min(max(seconds, firstSecond), lastSecond).dividedDown(by: Day.seconds)
        let date = CivilDate(daysSince1970: days)
        digits(UInt64(date.year), count: 4)
        byte(UInt8(ascii: "-"))
        digits(UInt64(date.month), count: 2)
        byte(UInt8(ascii: "-"))
        digits(UInt64(date.day), count: 2)
        byte(UInt8(ascii: "T"))
        digits(UInt64(second / 3600), count: 2)
        byte(UInt8(ascii: ":"))
        digits(UInt64(second / 60 % 60), count: 2)
        byte(UInt8(ascii: ":"))
        digits(UInt64(second % 60), count: 2)
    }
}

private let quote = UInt8(ascii: "\"")
/// 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z in seconds since 1970.
private let firstSecond: Int64 = -62_167_219_200
private let lastSecond: Int64 = 253_402_300_799
