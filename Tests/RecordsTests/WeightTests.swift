import ATSPolicy
import Bytes
import Records
import Testing

/// Limits on the size of a load, regardless of what client and origin send.
@Suite("Weight of records")
struct WeightTests {
    /// The largest facts that are read of a certificate.
    private static func certificate(_ number: Int) -> CertificateFacts {
        var facts = SampleRecords.facts.served[0]
        let mark = "…(+30000 bytes)"
        facts.subject = String(repeating: "\\,", count: CertificateFacts.subjectBytes / 2) + mark
        facts.issuer = facts.subject
        facts.commonName = String(repeating: "c", count: CertificateFacts.commonNameBytes) + mark
        facts.serial = String(repeating: "f", count: CertificateFacts.serialDigits) + mark
        facts.sha256 = String(repeating: "0", count: 60) + "\(1_000 + number)"
        facts.spkiSHA256 = String(repeating: "A", count: 44)
        facts.signature = "ecdsa-with-SHA256"
        facts.dnsNames = (0..<CertificateFacts.namesKept).map { _ in
            String(repeating: "n", count: CertificateFacts.nameBytesKept / CertificateFacts.namesKept)
        }
        facts.unkeptNames = 30_936
        return facts
    }

    private static func facts(served: Int, path: Int) -> HandshakeFacts {
        var facts = SampleRecords.facts
        facts.served = (0..<served).map { certificate($0) }
        facts.path = [facts.served[0]] + (1..<path).map { certificate($0 + 100) }
        return facts
    }

    private static func worst(_ number: Int = 0) -> LoadRecord {
        var record = SampleRecords.blocked()
        record.load.redirectedFrom = String(repeating: "u", count: RecordLimits.redirectBytes)
        var facts = facts(served: 100, path: 60)
        facts.served[0].serial = "\(number)"
        record.origin = RecordedOrigin(address: "192.0.2.7:443", facts: facts)
        let long = String(repeating: "s", count: 20_000)
        let finding = Finding(
            rule: .hostName, title: "Certificate for another host", keyPath: SampleRecords.keyPath, expected: long,
            observed: long, confidence: .source, source: "Security, SecPolicyLeafCallbacks.c")
        let apple = AppleError(
            domain: "NSURLErrorDomain", code: -1200, constant: "", message: long, log: [long, long, long, long],
            confidence: .observed)
        record.diagnosis = RecordedDiagnosis(
            findings: [finding, finding, finding], apple: apple, remedy: Remedy(server: [long, long, long, "short"]))
        RedactionRules().apply(to: &record)
        return record
    }

    @Test("a load uses at most 24 KiB of a store, regardless of what the origin sends")
    func stored() {
        let record = Self.worst()
        let parts = [
            record.text(.shared), record.text(.diagnosis), record.text(.more), record.handshake?.text ?? "",
            record.load.path,
        ].map(\.utf8.count)
        #expect(parts.reduce(0, +) <= 24 << 10, "\(parts)")
    }

    @Test("omitted parts of certificates are listed, and the path keeps its ends")
    func cut() throws {
        let facts = try #require(RecordedOrigin(address: nil, facts: Self.facts(served: 9, path: 12)).facts)
        #expect(facts.served.count == 2 && facts.path.count == 2 && facts.unkeptCertificates == 10)
        #expect(facts.path.last?.sha256 == Self.certificate(111).sha256)
        #expect(facts.served[0].dnsNames.count == 64 && facts.served[1].dnsNames.isEmpty)
        #expect(facts.served[1].unkeptNames == 31_000)
        var line: [UInt8] = []
        RecordJSON.append(Self.worst(), to: &line)
        let text = String(decoding: line, as: UTF8.self)
        #expect(text.contains(#""cut":["98 certificates","61936 names"],"scts""#))
    }

    @Test("a chain of usual size is kept whole")
    func whole() {
        var facts = SampleRecords.facts
        facts.served += (1...3).map { number in
            var issuer = facts.served[0]
            issuer.serial = "\(number)"
            issuer.subject = String(repeating: "s", count: 150)
            return issuer
        }
        facts.path = facts.served
        #expect(RecordedOrigin(address: nil, facts: facts).facts == facts)
        var line: [UInt8] = []
        RecordJSON.append(SampleRecords.allowed(), to: &line)
        #expect(!String(decoding: line, as: UTF8.self).contains("\"cut\""))
    }

    @Test("sentences share the remaining space after their URLs are masked, and short ones are kept")
    func sentences() throws {
        let record = Self.worst()
        #expect(try #require(record.diagnosis).bytes <= RecordLimits.diagnosisBytes)
        #expect(record.diagnosis?.remedy?.sentences.last == "short")
        #expect(record.diagnosis?.apple?.log.allSatisfy { $0.hasPrefix("sss") && $0.hasSuffix(" bytes)") } == true)
        // No part of a query is left, wherever its line is cut.
        var long = SampleRecords.allowed(path: "/p?token=" + String(repeating: "secret, ", count: 900))
        let line = "{NSErrorFailingURLKey=https://api.lab.test\(long.load.path), Next}"
        let apple = AppleError(
            domain: "NSURLErrorDomain", code: -1200, constant: "", message: "", log: [line, line, line],
            confidence: .observed)
        long.diagnosis = RecordedDiagnosis(findings: [], apple: apple, remedy: nil)
        RedactionRules().apply(to: &long)
        let masked = "{NSErrorFailingURLKey=https://api.lab.test/p?token=***, Next}"
        #expect(long.diagnosis?.apple?.log == [masked, masked, masked])
    }

    @Test("a record's weight includes what its origin has beyond the usual")
    func origin() {
        let record = Self.worst()
        #expect([record, record].bytes == 2 * record.bytes)
        var plain = record
        plain.origin = nil
        #expect(record.bytes > plain.bytes)
        #expect(record.bytes < 64 << 10)
    }
}
