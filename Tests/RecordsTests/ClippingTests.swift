import ATSPolicy
import Records
import Testing

@Suite("Limits on the length of a record's texts")
struct ClippingTests {
    @Test("a path at its limit is kept; a longer one is cut, with a mark that counts the missing bytes")
    func path() {
        let atLimit = "/" + String(repeating: "a", count: RecordLimits.urlBytes - 1)
        #expect(load(path: atLimit).path == atLimit)
        #expect(load(path: atLimit + "b").path == atLimit + "…(+1 bytes)")
        #expect(load(path: atLimit + String(repeating: "b", count: 51_200)).path == atLimit + "…(+51200 bytes)")
    }

    @Test("no character is cut in half")
    func characters() {
        let text = "/" + String(repeating: "漢", count: RecordLimits.urlBytes)
        let kept = load(path: text).path
        #expect(kept.hasSuffix(" bytes)"))
        #expect(!kept.contains("\u{FFFD}"))
        #expect(kept.prefix(100) == text.prefix(100))
    }

    @Test("method, redirecting URL and User-Agent are cut, too")
    func others() {
        let long = String(repeating: "x", count: 60_000)
        let request = RecordedRequest(
            method: long, path: "/", target: LoadTarget(scheme: .http, host: "a.test", port: 80), wireProtocol: .http1,
            redirectedFrom: long)
        #expect(request.method.utf8.count < RecordLimits.methodBytes + 30)
        #expect((request.redirectedFrom?.utf8.count ?? 0) < RecordLimits.redirectBytes + 30)
        let client = RecordedClient(address: "", label: nil, userAgent: long, loader: .app, os: "ios26")
        #expect((client.userAgent?.utf8.count ?? 0) < RecordLimits.userAgentBytes + 30)
    }

    @Test("a record with the longest texts of every kind has some kilobytes")
    func wholeRecord() {
        let long = String(repeating: "x", count: 1_000_000)
        var record = SampleRecords.allowed()
        record.load = RecordedRequest(
            method: long, path: "/?" + long, target: LoadTarget(scheme: .http, host: "a.test", port: 80),
            wireProtocol: .http1, redirectedFrom: long)
        let apple = AppleError(
            domain: "NSURLErrorDomain", code: -1022, constant: "", message: long, log: [long, long, "short"],
            confidence: .observed)
        let finding = Finding(
            rule: .cleartextLoad, title: "", keyPath: nil, expected: "", observed: long, confidence: .documented,
            source: "")
        record.diagnosis = RecordedDiagnosis(findings: [finding], apple: apple, remedy: Remedy(server: [long]))
        var json: [UInt8] = []
        RecordJSON.append(record, to: &json)
        #expect(json.count < 80_000)
        #expect(record.bytes < 80_000)
        #expect(record.diagnosis?.apple?.log.last == "short")
    }

    private func load(path: String) -> RecordedRequest {
        RecordedRequest(
            method: "GET", path: path, target: LoadTarget(scheme: .http, host: "a.test", port: 80), wireProtocol: .http1
        )
    }
}
