import ATSPolicy
import Records
import Testing
import Text

@Suite("Field declarations are complete")
struct FieldDeclarationTests {
    private func record(via: String?, address: String = "127.0.0.1:1", label: String? = nil) -> LoadRecord {
        let target = LoadTarget(scheme: .https, host: "a.test", port: 443)
        var record = LoadRecord(
            time: 0, recording: "r",
            client: RecordedClient(address: address, label: label, userAgent: nil, loader: .app, os: "ios26"),
            load: RecordedRequest(method: "GET", path: "/", target: target, wireProtocol: .http1),
            policy: RecordedPolicy(source: nil, bundleID: nil, os: "ios26", basis: nil), verdict: .allowed)
        record.via = via
        return record
    }

    private func form(_ record: LoadRecord) -> [UInt8] {
        var writer = JSONWriter()
        ProbeFields.catalog.form(of: SharedPart(of: record), to: &writer)
        return writer.bytes
    }

    private func areAlike(_ one: LoadRecord, _ other: LoadRecord) -> Bool {
        ProbeFields.catalog.comparison.isAlike.holds(one, other)
    }

    @Test("a shared field is in the form, and loads that differ only in it have separate forms")
    func shared() {
        let one = record(via: "secret.test:8080")
        #expect(String(decoding: form(one), as: UTF8.self).hasPrefix(#"{"probe":"secret.test:8080","client":{"#))
        #expect(areAlike(one, record(via: "secret.test:8080")))
        for other in ["other.test:8080", nil] { #expect(!areAlike(one, record(via: other))) }
    }

    @Test("a load's own field does not separate forms; a field in the form does, also one field of a part")
    func part() {
        let one = record(via: nil)
        #expect(areAlike(one, record(via: nil, address: "127.0.0.1:2")))
        #expect(!areAlike(one, record(via: nil, label: "tv")))
        #expect(form(one) == form(record(via: nil, address: "127.0.0.1:2")))
    }

    @Test("values with different sources are distinguished in any declaration")
    func twoRoots() {
        let comparison = TwoRootFields.catalog.comparison
        let one = record(via: "a.test:1", label: "tv")
        #expect(!comparison.isAlike.holds(one, record(via: "b.test:1", label: "tv")))
        #expect(!comparison.isAlike.holds(one, record(via: "a.test:1", label: "phone")))
        #expect(comparison.isAlike.holds(one, record(via: "a.test:1", address: "127.0.0.1:2", label: "tv")))
    }

    @Test("a field that contains a name is masked by its kind before it is written, too")
    func maskedPart() {
        let part = ProbePart(
            name: "a.secret.test", peer: "b.secret.test:1", lines: ["to https://c.secret.test/x"],
            title: "d.secret.test")
        let names = NameMask([.everyHost], key: KeyedHash(5, 6))
        let masked = ProbePartFields.catalog.masked(part, by: names, KnownNames())
        #expect(masked.name == names.host("a.secret.test"))
        #expect(masked.peer == names.host("b.secret.test") + ":1")
        #expect(masked.lines == ["to https://\(names.host("c.secret.test"))/x"])
        #expect(masked.title == "d.secret.test")
    }

    @Test("a field that contains a name is masked by its kind, and so are the fields of a list below it")
    func masked() {
        #expect(ProbeFields.catalog.nameKinds["probe"] == .authority)
        #expect(ProbeFields.catalog.nameKinds["client.probe"] == .host)
        #expect(ProbeFields.catalog.nameKinds["client.label"] == nil)
        let names = NameMask.everything(key: KeyedHash(5, 6))
        var scan = MaskScan(
            text: form(record(via: "secret.test:8080", label: "Ann")), names: names, known: KnownNames(), path: [],
            kinds: ProbeFields.catalog.nameKinds)
        let text = String(decoding: scan.masked(), as: UTF8.self)
        #expect(!text.contains("secret") && text.contains(#""label":"Ann""#), "\(text)")
    }

    @Test("filing masks the field in the record, in the shared part, and in every part")
    func filed() {
        var record = record(via: "via.secret.test:1")
        record.client = RecordedClient(
            address: "127.0.0.1:1", label: "client.secret.test", userAgent: nil, loader: .app, os: "os.secret.test")
        record.policy = RecordedPolicy(
            source: nil, bundleID: nil, os: "ios26", basis: nil, mode: "policy.secret.test")
        record.origin = RecordedOrigin(
            address: nil,
            facts: HandshakeFacts(
                version: .tls13, suite: CipherSuite(code: 0x1301, name: "A"), group: "origin.secret.test", alpn: nil,
                served: [], path: [], anchor: .system))
        record.load.method = "load.secret.test"
        let finding = Finding(
            rule: .hostName, title: "finding.secret.test", keyPath: nil, expected: "", observed: "",
            confidence: .documented, source: "")
        record.diagnosis = RecordedDiagnosis(findings: [finding], apple: nil, remedy: nil)
        record.device = RecordedDevice(
            .refused, confidence: .observed, place: LogPosition(log: "-", line: 1, task: "device.secret.test"))
        let shared = record

        let names = NameMask(["*.secret.test"].compactMap { MaskPattern($0) }, key: KeyedHash(5, 6))
        var mask = RecordMask(names, ProbeFields.self)
        mask.apply(to: &record)
        #expect(record.via == names.host("via.secret.test") + ":1")
        #expect(record.client.os == names.host("os.secret.test"))
        #expect(record.client.label == "client.secret.test", "the label's field contains no name")
        #expect(record.policy.mode == names.host("policy.secret.test"))
        #expect(record.origin?.facts?.group == names.host("origin.secret.test"))
        #expect(record.load.method == names.host("load.secret.test"))
        #expect(record.diagnosis?.findings.first?.title == names.host("finding.secret.test"))
        #expect(record.device?.place?.task == names.host("device.secret.test"))
        #expect(
            record.masked == ["probe", "client", "policy", "origin", "findings", "load.probe", "device"],
            "what loads share comes first, then the diagnosis")

        var other = shared
        mask.apply(to: &other)
        #expect(other.policy === record.policy && other.client === record.client && other.origin === record.origin)
        #expect(areAlike(record, other) && !areAlike(record, shared))
    }
}

/// Field lists with a field that no other code knows.
private struct ProbeFields: FieldList {
    static let catalog = FieldCatalog(ProbeFields())

    let probe = Field(sharedText: "probe", of: .value { $0.via }) { $0 }.holding(.authority, at: \.via)
    let client = Field("client", group: ProbeClientFields.self).names(at: \.client)
    let load = Field("load", group: ProbeLoadFields.self).names(at: \.load)
    let policy = Field("policy", group: ProbePolicyFields.self).names(at: \.policy)
    let findings = Field(diagnosed: "findings", each: ProbeFindingFields.self) { $0.findings }.names(at: \.findings)
    let origin = Field(shared: "origin", of: .origin, object: ProbeOriginFields.self) { $0 }.names(at: \.origin)
    let device = Field(ownIfAny: "device", object: ProbeDeviceFields.self) { $0.device }.names(at: \.device)

    typealias Shared = SharedPart
    typealias Holder = LoadRecord.Members
    typealias Field<Value: Sendable> = RecordField<ProbeFields, Value>
}

/// Two fields of the same type, each with a different source.
private struct TwoRootFields: FieldList {
    static let catalog = FieldCatalog(TwoRootFields())

    let via = Field(sharedText: "via", of: .value { $0.via }) { $0 }
    let label = Field(sharedText: "label", of: .value { $0.client.label }) { $0 }

    typealias Shared = SharedPart
    typealias Holder = LoadRecord.Members
    typealias Field<Value: Sendable> = RecordField<TwoRootFields, Value>
}

private struct ProbeClientFields: FieldList {
    static let catalog = FieldCatalog(ProbeClientFields())

    let probe = Field(sharedText: "probe", of: .client) { $0.os }.holding(.host, at: \.os)
    let label = Field(sharedText: "label", of: .client) { $0.label }

    typealias Shared = SharedPart
    typealias Holder = RecordedClient.Members
    typealias Field = RecordField<ProbeClientFields, String?>
}

private struct ProbeLoadFields: FieldList {
    static let catalog = FieldCatalog(ProbeLoadFields())

    let probe = Field(ownText: "probe", rest: { $0.load.method }).holding(.host, at: \.method)

    typealias Shared = SharedPart
    typealias Holder = RecordedRequest
    typealias Field = RecordField<ProbeLoadFields, String>
}

private struct ProbePolicyFields: FieldList {
    static let catalog = FieldCatalog(ProbePolicyFields())

    let probe = Field(sharedText: "probe", of: .policy) { $0.mode }.holding(.host, at: \.mode)

    typealias Shared = SharedPart
    typealias Holder = RecordedPolicy.Members
    typealias Field = RecordField<ProbePolicyFields, String?>
}

private struct ProbeFindingFields: FieldList {
    static let catalog = FieldCatalog(ProbeFindingFields())

    let probe = Field(sharedText: "probe") { $0.title }.holding(.host, at: \.title)

    typealias Shared = Finding
    typealias Field = RecordField<ProbeFindingFields, String?>
}

private struct ProbeOriginFields: FieldList {
    static let catalog = FieldCatalog(ProbeOriginFields())

    let probe = Field(sharedText: "probe") { $0.facts?.group }.holding(.host, at: \.handshake.facts, \.group)

    typealias Shared = RecordedOrigin
    typealias Holder = RecordedOrigin.Members
    typealias Field = RecordField<ProbeOriginFields, String?>
}

private struct ProbeDeviceFields: FieldList {
    static let catalog = FieldCatalog(ProbeDeviceFields())

    let probe = Field(sharedText: "probe") { $0.place?.task }.holding(.host, at: \.place, \.task)

    typealias Shared = RecordedDevice
    typealias Holder = RecordedDevice.Members
    typealias Field = RecordField<ProbeDeviceFields, String?>
}

/// A part of a record that no other code knows.
private struct ProbePart: Sendable {
    var name: String
    var peer: String?
    var lines: [String]
    var title: String
}

private struct ProbePartFields: FieldList {
    static let catalog = FieldCatalog(ProbePartFields())

    let name = Field(sharedText: "name") { $0.name }.holding(.host, at: \.name)
    let peer = Field(sharedText: "peer") { $0.peer }.holding(.authority, at: \.peer)
    let lines = Field(sharedText: "lines") { $0.lines.first }.holding(.sentence, at: \.lines)
    let title = Field(sharedText: "title") { $0.title }

    typealias Shared = ProbePart
    typealias Field = RecordField<ProbePartFields, String?>
}
