import ATSPolicy
import Text

/// Writes records as lines of JSON: the keys of docs/record.md, in its order, the same in every output.
///
/// ``RecordFields`` lists the fields.
public struct RecordJSON: Sendable {
    /// The origin of the last record, and its JSON: the next one often has the same, and its chain costs more to write
    /// than all the rest.
    private var last: (origin: RecordedOrigin, json: [UInt8])?

    public init() {}

    /// Appends `record` without a line end. The text is one line of valid JSON for any bytes that the load carried.
    ///
    /// - Parameter handshake: its handshake's number in an exchanged recording; nil in all other outputs.
    public mutating func append(_ record: LoadRecord, handshake: Int? = nil, to bytes: inout [UInt8]) {
        var writer = JSONWriter()
        swap(&writer.bytes, &bytes)
        let members = record.content.members
        var isFirst = true
        writer.raw("{")
        for field in RecordFields.fields where !field.isOmittable || field.isAbsent?(members) != true {
            writer.key(field.key, isFirst: isFirst)
            isFirst = false
            if field.isOrigin, let origin = members.origin {
                writer.bytes.append(contentsOf: json(of: origin))
            } else {
                field.write(members, .whole, &writer)
            }
        }
        if let handshake {
            writer.raw(",\"handshake\":")
            writer.number(Int64(handshake))
        }
        writer.raw("}")
        swap(&writer.bytes, &bytes)
    }

    private mutating func json(of origin: RecordedOrigin) -> [UInt8] {
        if let last, last.origin === origin { return last.json }
        var writer = JSONWriter()
        OriginFields.write(origin.members, .whole, to: &writer)
        last = (origin, writer.bytes)
        return writer.bytes
    }

    /// Appends `record` without a line end, as the method of the same name does.
    public static func append(_ record: LoadRecord, to bytes: inout [UInt8]) {
        var writer = RecordJSON()
        writer.append(record, to: &bytes)
    }

    /// The record as one line of JSON.
    public static func text(_ record: LoadRecord) -> String {
        var bytes: [UInt8] = []
        append(record, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The pieces of a stored record.
extension LoadRecord {
    /// The JSON of one piece: the fields of a row that loads share, of a diagnosis, or those that few loads have.
    package func text(_ piece: RecordPieces) -> String {
        var writer = JSONWriter()
        RecordFields.write(content.members, piece, to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// True if a field has a value that only few loads have.
    package var hasMore: Bool {
        let members = content.members
        return members.device != nil || members.load.redirectedFrom != nil
    }

    /// A record without any value, to read pieces into.
    package static var blank: LoadRecord {
        LoadRecord(
            time: 0, recording: "",
            client: RecordedClient(address: "", label: nil, userAgent: nil, loader: .app, os: ""),
            load: RecordedRequest(
                method: "", path: "", target: LoadTarget(scheme: .https, host: "", port: 0), wireProtocol: .http1),
            policy: RecordedPolicy(source: nil, bundleID: nil, os: "", basis: nil), verdict: .allowed)
    }

    /// Reads a piece, or a whole record, into this record.
    ///
    /// - Throws: `DecodingError`.
    package mutating func read(_ object: KeyedDecodingContainer<FieldKey>, _ pieces: RecordPieces) throws {
        try RecordFields.read(&own.members, object, pieces)
    }
}

extension JSONWriter {
    /// Appends a quoted ISO 8601 time in UTC with milliseconds, for example `"2026-02-03T04:05:06.789Z"`.
    mutating func time(milliseconds: Int64) {
        raw("\"")
        unquotedTime(milliseconds: milliseconds)
        raw("\"")
    }

    /// Appends an ISO 8601 time in UTC with milliseconds; the caller writes quotes if there are any.
    package mutating func unquotedTime(milliseconds: Int64) {
        let (seconds, rest) = milliseconds.dividedDown(by: 1000)
        shortText {
            $0.dateAndTime(seconds: seconds)
            $0.byte(UInt8(ascii: "."))
            $0.digits(UInt64(rest), count: 3)
            $0.byte(UInt8(ascii: "Z"))
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
        writer.unquotedTime(milliseconds: milliseconds)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Reads what ``text(milliseconds:)`` wrote, in milliseconds since 1970-01-01 UTC; nil for any other text.
    public static func milliseconds(_ text: String) -> Int64? {
        let parts = text.split { "-T:.Z".contains($0) }.map { Int64($0) }
        guard text.utf8.count == 24, parts.count == 7, let year = parts[0], let month = parts[1], let day = parts[2],
            let hour = parts[3], let minute = parts[4], let second = parts[5], let rest = parts[6]
        else { return nil }
        let days = CivilDate.days(year: year, month: month, day: day)
        let milliseconds = (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + rest
        return self.text(milliseconds: milliseconds) == text ? milliseconds : nil
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
