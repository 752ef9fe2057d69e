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

    @Test("of a long chain as many certificates are kept as fit, up to five")
    func longChain() throws {
        func kept(subjectBytes: Int) throws -> Int {
            var facts = SampleRecords.facts
            var certificate = CertificateFacts()
            certificate.subject = String(repeating: "x", count: subjectBytes)
            (facts.served, facts.path) = (Array(repeating: certificate, count: 6), [])
            return try #require(RecordedOrigin(address: nil, facts: facts).facts).served.count
        }
        // Five times 1,124 bytes and 412 for the rest of each are exactly the limit.
        #expect(try kept(subjectBytes: 10) == 5 && kept(subjectBytes: 1_124) == 5)
        #expect(try kept(subjectBytes: 1_125) == 4 && kept(subjectBytes: 100_000) == 2)
    }

    @Test("only the leaf keeps its names, in the served chain, in the path and in other paths")
    func names() throws {
        let leaf = try #require(SampleRecords.facts.path.first)
        var named = leaf
        var addressed = leaf
        (named.dnsNames, addressed.ipAddresses) = (["a.test", "b.test"], ["192.0.2.1"])
        let places: [WritableKeyPath<HandshakeFacts, [CertificateFacts]>] = [\.served, \.path]
        for issuer in [named, addressed] {
            for place in places {
                var facts = SampleRecords.facts
                facts[keyPath: place] = [issuer, issuer]
                let kept = try #require(RecordedOrigin(address: nil, facts: facts).facts)[keyPath: place]
                #expect(kept[0] == issuer && kept[1].dnsNames.isEmpty && kept[1].ipAddresses.isEmpty)
                #expect(kept[1].unkeptNames == issuer.dnsNames.count + issuer.ipAddresses.count)
            }
            var facts = SampleRecords.facts
            facts.otherPaths = [CertificatePath([leaf, issuer], anchor: .system, faults: [])]
            let kept = try #require(RecordedOrigin(address: nil, facts: facts).facts?.otherPaths.first).certificates
            #expect(kept[1].dnsNames.isEmpty && kept[1].ipAddresses.isEmpty && kept[1].unkeptNames != nil)
        }
    }

    private func load(path: String) -> RecordedRequest {
        RecordedRequest(
            method: "GET", path: path, target: LoadTarget(scheme: .http, host: "a.test", port: 80), wireProtocol: .http1
        )
    }
}
