import ATSPolicy
import Records
import Text

/// HAR 1.2, as the network panels of browsers read it: an entry for each load, streamed. Source: "HTTP Archive (HAR)
/// format", W3C draft of 2012-08-14, by which custom names begin with an underscore.
///
/// A blocked or failed load has status 0 and `_error`, as browsers write a load without a response.
struct HARReport: LoadRows {
    private var isFirst = true

    func begin(_ context: ReportContext, to output: inout [UInt8]) {
        let creator = JSONValue.object([("name", .string("atsgate")), ("version", .string(context.toolVersion))])
        output.append(contentsOf: "{\"log\":{\"version\":\"1.2\",\"creator\":\(creator.text),\"entries\":[".utf8)
    }

    mutating func add(_ row: LoadRow, to output: inout [UInt8]) throws(StoreError) {
        let load = try row.record()
        output.append(contentsOf: isFirst ? "\n".utf8 : ",\n".utf8)
        isFirst = false
        output.append(contentsOf: Self.entry(load).text.utf8)
    }

    func end(to output: inout [UInt8]) { output.append(contentsOf: "\n]}}\n".utf8) }

    /// Section "entries" of the draft.
    private static func entry(_ load: LoadRecord) -> JSONValue {
        let times = HARTimes(load.timing)
        return .object(
            [
                ("startedDateTime", .string(RecordTime.text(milliseconds: load.time))),
                ("time", milliseconds(times.sum)), ("request", request(load)), ("response", response(load)),
                ("cache", .object([])),
                (
                    "timings",
                    .object([
                        ("blocked", .number(-1)), ("dns", .number(-1)), ("connect", milliseconds(times.connect)),
                        ("ssl", milliseconds(times.ssl)), ("send", .number(0)), ("wait", milliseconds(times.wait)),
                        ("receive", milliseconds(times.receive)),
                    ])
                ), ("_ats", verdict(load)),
            ] + origin(load))
    }

    private static func request(_ load: LoadRecord) -> JSONValue {
        .object([
            ("method", .string(load.load.method)), ("url", .string(load.load.url)),
            ("httpVersion", .string(httpVersion(load))), ("cookies", .array([])), ("headers", .array([])),
            ("queryString", .array([])), ("headersSize", .number(-1)), ("bodySize", .number(Int(load.bytesSent))),
        ])
    }

    private static func response(_ load: LoadRecord) -> JSONValue {
        let isTrouble = load.verdict == .blocked || load.verdict == .failed
        let rule = isTrouble ? load.rule?.rawValue ?? "failed" : nil
        let received = JSONValue.number(Int(load.bytesReceived))
        return .object(
            [
                ("status", .number(isTrouble ? 0 : load.status ?? 0)),
                // Chromium's network panel shows this text if there is no status, and ignores `_error`.
                ("statusText", .string(rule ?? "")), ("httpVersion", .string(httpVersion(load))),
                ("cookies", .array([])), ("headers", .array([])),
                ("content", .object([("size", received), ("mimeType", .string(""))])),
                ("redirectURL", .string("")), ("headersSize", .number(-1)), ("bodySize", received),
            ] + (rule.map { [("_error", .string($0))] } ?? []))
    }

    private static func verdict(_ load: LoadRecord) -> JSONValue {
        let diagnosis = load.diagnosis
        return .object([
            ("verdict", .string(load.verdict.rawValue)), ("refusal", .text(load.refusal?.rawValue)),
            ("label", .text(load.client.label)), ("os", .string(load.policy.os)),
            ("policy", .text(load.policy.source)), ("entry", .text(load.policy.basis?.entry)),
            ("key", .text(load.policy.basis?.keyPath)),
            ("findings", .array((diagnosis?.findings ?? []).map { .json(FindingFields.json(of: $0)) })),
            ("apple", diagnosis?.apple.map { .json(AppleFields.json(of: $0)) } ?? .null),
            ("remedy", diagnosis?.remedy.map { .json(RemedyFields.json(of: $0)) } ?? .null),
        ])
    }

    private static func origin(_ load: LoadRecord) -> [(String, JSONValue)] {
        guard let origin = load.origin else { return [] }
        var members: [(String, JSONValue)] = []
        if let address = origin.address {
            // ADDRESS:PORT; HAR requires the address without brackets.
            let end = address.lastIndex(of: ":") ?? address.endIndex
            members.append(("serverIPAddress", .string(address[..<end].filter { !"[]".contains($0) })))
        }
        if origin.facts != nil { members.append(("_tls", .json(OriginFields.json(of: origin.members)))) }
        return members
    }

    /// In the notation of browsers.
    private static func httpVersion(_ load: LoadRecord) -> String {
        load.load.wireProtocol == .http2 ? "h2" : "HTTP/1.1"
    }

    /// -1 for nil.
    private static func milliseconds(_ span: Int64?) -> JSONValue {
        guard let span else { return .number(-1) }
        var writer = JSONWriter()
        writer.milliseconds(span)
        return .json(String(decoding: writer.bytes, as: UTF8.self))
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

    init(_ timing: Timing) {
        let total = timing.total
        let connect = timing.connect.map { $0 + (timing.handshake ?? 0) } ?? timing.handshake
        (self.connect, ssl) = (connect, timing.handshake)
        let before = min(connect ?? 0, total)
        // The recorded time to the first byte may or may not include the connection.
        wait = max(0, min(timing.firstByte ?? 0, total) - before)
        receive = max(0, total - before - wait)
        sum = (connect ?? 0) + wait + receive
    }
}
