import ATSPolicy
import Records
import Testing
import Text

/// A list with a field that no other code knows of.
private struct ProbeFields: FieldList {
    static let catalog = FieldCatalog(ProbeFields())

    let probe = Field(sharedText: "probe", of: .value("probe") { $0.via }) { $0 }.holding(.authority)
    let group = Field("client", group: ClientFields.self)

    typealias Shared = SharedPart
    typealias Field<Value: Sendable> = RecordField<ProbeFields, Value>
}

/// What a part of a record says, of which no other code knows.
private struct ProbePart: Sendable {
    var name: String
    var peer: String?
    var lines: [String]
    var title: String
}

private struct ProbePartFields: FieldList {
    static let catalog = FieldCatalog(ProbePartFields())

    let name = Field(sharedText: "name") { $0.name }.holding(.host) { $0.name = $1($0.name) }
    let peer = Field(sharedText: "peer") { $0.peer }.holding(.authority) { $0.peer = $0.peer.map($1) }
    let lines = Field(sharedText: "lines") { $0.lines.first }.holding(.sentence) { $0.lines = $0.lines.map($1) }
    let title = Field(sharedText: "title") { $0.title }

    typealias Shared = ProbePart
    typealias Field = RecordField<ProbePartFields, String?>
}

@Suite("a field declares all of itself")
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

    @Test("one that loads share is in the form, and loads that differ in it alone get forms of their own")
    func shared() {
        let one = record(via: "secret.test:8080")
        #expect(String(decoding: form(one), as: UTF8.self).hasPrefix(#"{"probe":"secret.test:8080","client":{"#))
        #expect(ProbeFields.catalog.areAlike(one, record(via: "secret.test:8080")))
        for other in ["other.test:8080", nil] { #expect(!ProbeFields.catalog.areAlike(one, record(via: other))) }
    }

    @Test("what is a load's own is no difference of forms; what is in a form is, one field of a part too")
    func part() {
        let one = record(via: nil)
        #expect(ProbeFields.catalog.areAlike(one, record(via: nil, address: "127.0.0.1:2")))
        #expect(!ProbeFields.catalog.areAlike(one, record(via: nil, label: "tv")))
        #expect(form(one) == form(record(via: nil, address: "127.0.0.1:2")))
    }

    @Test("one that holds a name is masked by its kind before it is written, too")
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

    @Test("one that holds a name is masked by its kind, and so are those of a list below it")
    func masked() {
        #expect(ProbeFields.catalog.nameKinds["probe"] == .authority)
        #expect(ProbeFields.catalog.nameKinds["client.label"] == .label)
        #expect(ProbeFields.catalog.nameKinds["client.os"] == nil)
        let names = NameMask.everything(key: KeyedHash(5, 6))
        var scan = MaskScan(
            text: form(record(via: "secret.test:8080", label: "Ann")), names: names, known: KnownNames(), path: [],
            kinds: ProbeFields.catalog.nameKinds)
        let text = String(decoding: scan.masked(), as: UTF8.self)
        #expect(!text.contains("secret") && !text.contains("Ann") && text.contains(#""os":"ios26""#), "\(text)")
    }
}
