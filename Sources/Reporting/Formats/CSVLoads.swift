import ATSPolicy
import Records
import Text

/// Comma-separated values (RFC 4180) with a row for each load, streamed.
struct CSVLoads: LoadRows {
    var isDiagnosed: Bool { false }

    func begin(_ context: ReportContext, to output: inout [UInt8]) {
        output.append(contentsOf: CSVText.row(Self.head).utf8)
    }

    func add(_ load: LoadRecord, to output: inout [UInt8]) {
        var writer = JSONWriter()
        swap(&writer.bytes, &output)
        writer.bytes.append(contentsOf: RecordTime.text(milliseconds: load.time).utf8)
        for text in [
            load.verdict.rawValue, load.client.label ?? "", load.policy.os, load.load.target.host, load.load.method,
            load.load.url,
        ] {
            writer.raw(",")
            Self.add(text, to: &writer)
        }
        for number in [load.status.map { Int64($0) }, load.bytesSent, load.bytesReceived] {
            writer.raw(",")
            if let number { writer.number(number) }
        }
        writer.raw(",")
        writer.milliseconds(load.timing.total)
        writer.raw("\r\n")
        swap(&writer.bytes, &output)
    }

    /// Appends a field. Text without special characters, as in nearly every URL, is copied.
    private static func add(_ text: String, to writer: inout JSONWriter) {
        let isPlain = text.utf8.first?.isAlphanumeric ?? true && text.utf8.allSatisfy(isPlain)
        writer.bytes.append(contentsOf: isPlain ? text.utf8[...] : CSVText.row([text]).utf8.dropLast(2))
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: ",")
    }

    private static let head = [
        "time", "verdict", "label", "os", "host", "method", "url", "status", "sent", "received", "totalMs",
    ]
}
