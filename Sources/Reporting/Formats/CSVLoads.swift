import ATSPolicy
import Foundation
import Records
import Text

/// Comma-separated values (RFC 4180) with a row for each load, streamed.
struct CSVLoads: LoadRows {
    func begin(_ context: ReportContext, to output: inout [UInt8]) {
        output.append(contentsOf: CSVText.row(Self.head).utf8)
    }

    func add(_ load: LoadRow, to output: inout [UInt8]) throws(StoreError) {
        let values = try load.values()
        let shared = try Self.shared(load)
        add(values[shared.time], to: &output)
        output.append(contentsOf: shared.beginning)
        add(values[shared.method], to: &output)
        output.append(UInt8(ascii: ","))
        add(inside: values[shared.url], behind: shared.origin, to: &output)
        for place in shared.numbers {
            output.append(UInt8(ascii: ","))
            let value = values[place]
            if value.first != UInt8(ascii: "n") { output.append(contentsOf: value) }
        }
        output.append(contentsOf: "\r\n".utf8)
    }

    /// The values that rows of one form share.
    private final class Shared {
        /// Verdict, label, release and host, with the commas around them.
        let beginning: [UInt8]
        /// The start of the URLs, within a JSON string.
        let origin: [UInt8]
        /// Positions of the load's own values.
        let time: Int?
        let method: Int?
        let url: Int?
        let numbers: [Int?]

        init(_ record: DecodedRecord, _ form: SharedForm) {
            time = form.place("time")
            method = form.place("load.method")
            url = form.place("load.url")
            numbers = ["status", "bytes.sent", "bytes.received", "timing.totalMs"].map { form.place($0) }
            let fields = [record.verdict, record.client.label ?? "", record.policy.os, record.load.host]
            beginning = Array(("," + CSVText.row(fields).dropLast() + ",").utf8)
            origin = url.map { form.blanks[$0].beginning } ?? []
        }
    }

    private static func shared(_ load: LoadRow) throws(StoreError) -> Shared {
        if let known = load.form.memory as? Shared { return known }
        let shared = Shared(try load.record(), load.form)
        load.form.memory = shared
        return shared
    }

    /// Appends a JSON string as a field.
    private func add(_ json: UnsafeBufferPointer<UInt8>.SubSequence, to output: inout [UInt8]) {
        add(inside: json.dropFirst().dropLast(), behind: [], to: &output)
    }

    /// Appends `beginning` and the inside of a JSON string as a field. Text without special characters, as in nearly
    /// every URL, is copied.
    private func add(
        inside json: UnsafeBufferPointer<UInt8>.SubSequence, behind beginning: [UInt8], to output: inout [UInt8]
    ) {
        let first = beginning.first ?? json.first ?? 0
        if first.isAlphanumeric, json.allSatisfy(isPlain), beginning.allSatisfy(isPlain) {
            output.append(contentsOf: beginning)
            output.append(contentsOf: json)
            return
        }
        output.append(contentsOf: CSVText.row([String(checkedJSONInside: beginning + json) ?? ""]).utf8.dropLast(2))
    }

    private func isPlain(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: ",")
            && byte != UInt8(ascii: "\\")
    }

    private static let head = [
        "time", "verdict", "label", "os", "host", "method", "url", "status", "sent", "received", "totalMs",
    ]
}
