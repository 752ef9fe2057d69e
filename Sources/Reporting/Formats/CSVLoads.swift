import ATSPolicy
import Records
import Text

/// Comma-separated values (RFC 4180) with a row for each load, streamed.
struct CSVLoads: LoadRows {
    /// The last load's shared row, which the next load mostly has, too, with its fields from verdict to host.
    private var last: (row: SharedRow, fields: [UInt8])?

    func begin(_ context: ReportContext, to output: inout [UInt8]) {
        output.append(contentsOf: CSVText.row(Self.head).utf8)
    }

    mutating func add(_ row: LoadRow, to output: inout [UInt8]) {
        // Not the whole record: making it takes longer than writing this line.
        let own = row.columns
        let shared = sharedFields(of: row.shared)
        var writer = JSONWriter()
        swap(&writer.bytes, &output)
        writer.unquotedTime(milliseconds: own.time)
        writer.raw(",")
        writer.bytes.append(contentsOf: shared)
        Self.add(own.method, to: &writer)
        writer.raw(",")
        Self.add(row.url, to: &writer)
        for number in [own.status.map { Int64($0) }, own.bytesSent, own.bytesReceived] {
            writer.raw(",")
            if let number { writer.number(number) }
        }
        writer.raw(",")
        writer.milliseconds(own.timing.total)
        writer.raw("\r\n")
        swap(&writer.bytes, &output)
    }

    private mutating func sharedFields(of row: SharedRow) -> [UInt8] {
        if let last, last.row === row { return last.fields }
        let load = row.record
        var writer = JSONWriter()
        for text in [load.verdict.rawValue, load.client.label ?? "", load.policy.os, load.load.target.host] {
            Self.add(text, to: &writer)
            writer.raw(",")
        }
        last = (row, writer.bytes)
        return writer.bytes
    }

    /// Appends a field. Text without special characters, as in nearly every URL, is copied.
    private static func add(_ text: String, to writer: inout JSONWriter) {
        let isPlain = text.utf8.first?.isAlphanumeric ?? true && text.utf8.allSatisfy(isPlain)
        if isPlain {
            writer.bytes.append(contentsOf: text.utf8)
        } else {
            writer.bytes.append(contentsOf: CSVText.row([text]).utf8.dropLast(2))
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: ",")
    }

    private static let head = [
        "time", "verdict", "label", "os", "host", "method", "url", "status", "sent", "received", "totalMs",
    ]
}
