import ATSPolicy
import Records
import Testing

@Suite("the hello in a record")
struct RecordedHelloTests {
    private func record(_ hello: RecordedHello?) -> LoadRecord {
        var record = SampleRecords.allowed()
        record.client = record.client.showing(hello)
        return record
    }

    @Test("client.hello has its eight keys, and is left out without TLS")
    func json() {
        var hello = RecordedHello(
            HelloReading(HelloContent(legacyVersion: 0x0303)), ja4: "t13d1313h2_f57a46bbacb6_7f0f34a4126d")
        (hello.reads, hello.minimum, hello.certainty, hello.matches) = (.ats, .tls12, .observed, "URLSession with ATS")
        (hello.law, hello.lawMinimum, hello.answer) = (.notInForce, .tls10, .deviceStricter)
        let text = RecordJSON.text(record(hello))
        #expect(
            text.contains(
                #""hello":{"ja4":"t13d1313h2_f57a46bbacb6_7f0f34a4126d","reads":"ats","minimum":"1.2","#
                    + #""certainty":"observed","matches":"URLSession with ATS","law":"not-in-force","lawMinimum":"1.0","#
                    + #""answer":"device stricter"}"#))
        #expect(!RecordJSON.text(record(nil)).contains("\"hello\""))
    }

    @Test("records with different hellos do not share a row")
    func shared() {
        let hello = RecordedHello(HelloReading(HelloContent(legacyVersion: 0x0303)), ja4: nil)
        #expect(record(hello).sharesRow(with: record(hello)))
        #expect(!record(hello).sharesRow(with: record(nil)))
    }
}
