import ATSPolicy
import Records
import Testing

@Suite("Forms of records")
struct RecordFormTests {
    @Test("a form filled from an entry equals the record's line")
    func filled() {
        var odd = SampleRecords.blocked()
        odd.load.method = "\u{1}\"\\"
        odd.load.path = "/\u{1}"
        odd.load.redirectedFrom = "http://lab.test/\u{1}"
        odd.masked = ["\u{1}", "a"]
        for record in [SampleRecords.allowed(), SampleRecords.blocked(), odd] {
            var writer = RecordJSON()
            var line: [UInt8] = []
            var filled: [UInt8] = []
            RecordJSON.append(record, to: &line)
            #expect(fill(writer.form(of: record), from: entry(of: record), to: &filled))
            #expect(String(decoding: filled, as: UTF8.self) == String(decoding: line, as: UTF8.self))
            #expect(!filled.contains { $0 < 0x20 })
        }
    }

    @Test("an entry begins with the id")
    func id() {
        let first = entry(of: SampleRecords.allowed()).prefix { $0 != RecordForm.blank }
        #expect(String(decoding: first, as: UTF8.self) == "01KGH000000000000000000000")
    }

    @Test("loads of two connections to one origin share a form, even if all else differs")
    func shared() {
        var writer = RecordJSON()
        var other = SampleRecords.allowed(path: "/other")
        other.load.method = "PUT"
        other.diagnosis = SampleRecords.diagnosis
        other.status = 500
        #expect(writer.form(of: SampleRecords.allowed()) == writer.form(of: other))
    }

    @Test("a connection from another port, with separate parts, gets the same form object")
    func again() {
        var writer = RecordJSON()
        let record = SampleRecords.allowed()
        var other = record
        let client = record.client
        other.client = RecordedClient(
            address: "127.0.0.1:50999", label: client.label, userAgent: client.userAgent, loader: client.loader,
            os: client.os, osEvidence: client.osEvidence, osNotes: client.osNotes
        ).entering(by: client.entrance)
        other.origin = record.origin.map {
            RecordedOrigin(
                address: $0.address, facts: $0.handshake.facts, failure: $0.handshake.failure,
                offer: $0.handshake.offer)
        }
        // As each event loop has one.
        let policy = record.policy
        other.policy = RecordedPolicy(
            source: policy.source, bundleID: policy.bundleID, os: policy.os, basis: policy.basis, line: policy.line,
            mode: policy.mode)
        #expect(writer.form(of: record) === writer.form(of: other))
    }

    @Test("alternating connections get the forms of their content")
    func turns() {
        var writer = RecordJSON()
        let client = SampleRecords.allowed().client
        func record(port: Int, agent: String) -> LoadRecord {
            var record = SampleRecords.allowed()
            record.client = RecordedClient(
                address: "127.0.0.1:\(port)", label: nil, userAgent: agent, loader: client.loader, os: client.os)
            return record
        }
        let records = (0..<6).map { record(port: 50_000 + $0, agent: $0 < 4 ? "one" : "other") }
        for index in [0, 1, 4, 1, 2, 5, 4, 1, 3, 0, 5, 5, 2, 4, 3] {
            var alone = RecordJSON()
            #expect(writer.form(of: records[index]) == alone.form(of: records[index]))
        }
        #expect(writer.form(of: records[0]) === writer.form(of: records[3]))
        #expect(writer.form(of: records[0]) != writer.form(of: records[4]))
    }

    @Test("a difference in any field of the form makes another form", arguments: changes.indices)
    func differ(index: Int) {
        var writer = RecordJSON()
        let record = SampleRecords.allowed()
        var other = record
        changes[index](&other)
        #expect(writer.form(of: record) == writer.form(of: record))
        #expect(writer.form(of: record) != writer.form(of: other))
    }

    @Test("an entry with a value too few or too many does not fit")
    func misfits() {
        let form = RecordForm(text: [0x61, RecordForm.blank, 0x62, RecordForm.blank])
        var bytes: [UInt8] = []
        #expect(fill(form, from: [0x30, RecordForm.blank], to: &bytes))
        #expect(bytes == Array("a0b".utf8))
        #expect(!fill(form, from: [0x30], to: &bytes))
        #expect(!fill(form, from: [], to: &bytes))
        #expect(!fill(form, from: [RecordForm.blank, RecordForm.blank], to: &bytes))
    }

    private func entry(of record: LoadRecord) -> [UInt8] {
        var bytes: [UInt8] = []
        RecordJSON.appendEntry(of: record, to: &bytes)
        return bytes
    }

    private func fill(_ form: RecordForm, from entry: [UInt8], to bytes: inout [UInt8]) -> Bool {
        entry.withUnsafeBufferPointer { form.fill(from: $0, to: &bytes) }
    }
}

private let changes: [@Sendable (inout LoadRecord) -> Void] = [
    { $0.recording = "other" }, { $0.source = .device }, { $0.verdict = .wouldBlock }, { $0.refusal = .page },
    { $0.shown = ShownError(style: .page) }, { $0.origin = nil },
    { $0.load.wireProtocol = .tunnel }, { $0.load.target = LoadTarget(scheme: .https, host: "b.test", port: 443) },
    { $0.client = RecordedClient(address: "", label: "other", userAgent: nil, loader: .app, os: "ios26") },
    { $0.policy = RecordedPolicy(source: nil, bundleID: nil, os: "ios26", basis: nil) },
]
