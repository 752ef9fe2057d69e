import Records
import Text

/// One load as a HAR entry: section "entries" of the draft.
struct HAREntry {
    let shared: HARShared
    let values: EntryValues

    func write(to output: inout [UInt8]) {
        let times = HARTimes(values, shared.places)
        add("{\"startedDateTime\":", to: &output)
        output.append(contentsOf: values[shared.places.time])
        add(",\"time\":", to: &output)
        add(milliseconds: times.sum, to: &output)
        writeRequest(to: &output)
        writeResponse(to: &output)
        add(",\"cache\":{},\"timings\":{\"blocked\":-1,\"dns\":-1,\"connect\":", to: &output)
        add(milliseconds: times.connect, to: &output)
        add(",\"ssl\":", to: &output)
        add(milliseconds: times.ssl, to: &output)
        add(",\"send\":0,\"wait\":", to: &output)
        add(milliseconds: times.wait, to: &output)
        add(",\"receive\":", to: &output)
        add(milliseconds: times.receive, to: &output)
        add("},\"_ats\":{", to: &output)
        output.append(contentsOf: shared.ats)
        add(",\"findings\":", to: &output)
        output.append(contentsOf: values[shared.places.findings])
        add(",\"apple\":", to: &output)
        output.append(contentsOf: values[shared.places.apple])
        add(",\"remedy\":", to: &output)
        output.append(contentsOf: values[shared.places.remedy])
        add("}", to: &output)
        if !shared.tail.isEmpty { add(",", to: &output) }
        output.append(contentsOf: shared.tail)
        add("}", to: &output)
    }

    private func writeRequest(to output: inout [UInt8]) {
        add(",\"request\":{\"method\":", to: &output)
        output.append(contentsOf: values[shared.places.method])
        add(",\"url\":\"", to: &output)
        output.append(contentsOf: shared.origin)
        output.append(contentsOf: values[shared.places.url])
        add("\",\"httpVersion\":\"", to: &output)
        output.append(contentsOf: shared.httpVersion.utf8)
        add("\",\"cookies\":[],\"headers\":[],\"queryString\":[],\"headersSize\":-1,\"bodySize\":", to: &output)
        output.append(contentsOf: values[shared.places.sent])
        add("}", to: &output)
    }

    private func writeResponse(to output: inout [UInt8]) {
        let isTrouble = shared.verdict == .blocked || shared.verdict == .failed
        let status = values[shared.places.status]
        add(",\"response\":{\"status\":", to: &output)
        if isTrouble || status.first == UInt8(ascii: "n") {
            add("0", to: &output)
        } else {
            output.append(contentsOf: status)
        }
        let rule = isTrouble ? decidingRule : []
        // Chromium's network panel shows this text if there is no status, and ignores `_error`.
        add(",\"statusText\":", to: &output)
        output.append(contentsOf: isTrouble ? rule : noText)
        add(",\"httpVersion\":\"", to: &output)
        output.append(contentsOf: shared.httpVersion.utf8)
        add("\",\"cookies\":[],\"headers\":[],\"content\":{\"size\":", to: &output)
        output.append(contentsOf: values[shared.places.received])
        add(",\"mimeType\":\"\"},\"redirectURL\":\"\",\"headersSize\":-1,\"bodySize\":", to: &output)
        output.append(contentsOf: values[shared.places.received])
        if isTrouble {
            add(",\"_error\":", to: &output)
            output.append(contentsOf: rule)
        }
        add("}", to: &output)
    }

    /// The first finding's `rule` as JSON, from the start of the list.
    private var decidingRule: [UInt8] {
        let findings = values[shared.places.findings]
        guard findings.starts(with: ruleKey) else { return Array("\"failed\"".utf8) }
        // A rule's id needs no escape.
        let text = findings.dropFirst(ruleKey.count).dropFirst().prefix { $0 != UInt8(ascii: "\"") }
        return [UInt8(ascii: "\"")] + text + [UInt8(ascii: "\"")]
    }

    private func add(_ text: StaticString, to output: inout [UInt8]) {
        text.withUTF8Buffer { output.append(contentsOf: $0) }
    }

    /// Appends -1 for nil.
    private func add(milliseconds span: Int64?, to output: inout [UInt8]) {
        guard let span else { return add("-1", to: &output) }
        var writer = JSONWriter()
        swap(&writer.bytes, &output)
        writer.milliseconds(span)
        swap(&writer.bytes, &output)
    }
}

/// Spans of a load in microseconds, as HAR counts them: the existing ones add up to the total, and `connect` includes
/// `ssl`.
private struct HARTimes {
    let connect: Int64?
    let ssl: Int64?
    let wait: Int64
    let receive: Int64
    let sum: Int64

    init(_ values: EntryValues, _ places: HARFields) {
        let total = Self.microseconds(values[places.total]) ?? 0
        let dialed = Self.microseconds(values[places.connect])
        let handshake = Self.microseconds(values[places.handshake])
        let connect = dialed.map { $0 + (handshake ?? 0) } ?? handshake
        (self.connect, ssl) = (connect, handshake)
        let before = min(connect ?? 0, total)
        // The recorded time to the first byte may or may not include the connection.
        let firstByte = Self.microseconds(values[places.firstByte]) ?? 0
        wait = max(0, min(firstByte, total) - before)
        receive = max(0, total - before - wait)
        sum = (connect ?? 0) + wait + receive
    }

    /// Parses digits with a point before the last three; nil for `null`.
    private static func microseconds(_ text: UnsafeBufferPointer<UInt8>.SubSequence) -> Int64? {
        guard let first = text.first, first != UInt8(ascii: "n") else { return nil }
        var value: Int64 = 0
        for byte in text.prefix(17) where byte != UInt8(ascii: ".") {
            guard let digit = byte.decimalDigit else { return nil }
            value = value * 10 + Int64(digit)
        }
        return value
    }
}

private let ruleKey = Array("[{\"rule\":".utf8)
private let noText = Array("\"\"".utf8)
