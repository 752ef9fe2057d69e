import ATSPolicy
import Foundation
import Records
import Testing
import Text

@Suite("Masked records")
struct RecordMaskTests {
    private let key = KeyedHash(5, 6)

    private func text(_ record: LoadRecord) -> String {
        var bytes: [UInt8] = []
        RecordJSON.append(record, to: &bytes)
        return String(decoding: bytes, as: UTF8.self) + (record.origin?.handshake.text ?? "")
    }

    @Test("neither host nor path is left in the record", arguments: ["api.secret.test", "*.secret.test", "*"])
    func nothingIsLeft(pattern: String) {
        var masked = NamedRecords.record()
        var mask = RecordMask(NameMask([pattern, "/users/*"].compactMap { MaskPattern($0) }, key: key))
        #expect(text(masked).contains("api.secret.test") && text(masked).contains("alice"))
        mask.apply(to: &masked)
        let text = text(masked)
        for secret in ["api.secret", "alice", "bob"] { #expect(!text.contains(secret), "\(secret) in \(text)") }
        #expect(text.contains("/orders?page=***") && text.contains("ForwardSecrecy"))
        #expect(masked.masked.contains("load.url.host") && masked.masked.contains("load.url.path"))
    }

    @Test func maskedCertificatesStillMatchTheHost() throws {
        var masked = NamedRecords.record()
        var mask = RecordMask(NameMask([try #require(MaskPattern("api.secret.test"))], key: key))
        mask.apply(to: &masked)
        let host = masked.load.target.host
        let names = try #require(masked.origin?.facts?.served.first?.dnsNames)
        #expect(names[0] == host)
        #expect(names[1] == "*" + host.drop { $0 != "." })
        #expect(names[2] == "other.test")
    }

    @Test(
        "segments of a path are masked by pattern",
        arguments: [
            ("/users/*", "/users/alice/orders", "/users/T/orders"), ("/users/*", "/users", "/users"),
            ("/users/*", "/u%73ers/alice", "/u%73ers/T"), ("/v1/users", "/v1/users/7", "/T/T/7"),
            ("/a/**", "/a/b/c", "/a/T/T"), ("/**", "/a/b/", "/T/T/"), ("/x/*", "/y/alice", "/y/alice"),
            ("/users/*", "//users//alice", "//users//T"), ("/u*/x", "/user1/x/y", "/T/x/y"),
            ("/users/*", "/users/./alice/x", "/users/./T/x"), ("/users/*", "/users/%2e/alice", "/users/%2e/T"),
            ("/users/*", "/x/../users/alice", "/x/../users/T"), ("/users/*", "/users/alice/..", "/users/T/.."),
            ("/users/*", "/users/bob/../alice/x", "/users/T/../T/x"), ("/users/a?", "/users/ab/c", "/users/T/c"),
        ])
    func paths(pattern: String, path: String, expected: String) throws {
        var masked = NamedRecords.record()
        masked.load.path = path
        var mask = RecordMask(NameMask([try #require(MaskPattern(pattern))], key: key))
        mask.apply(to: &masked)
        #expect(masked.load.path.replacing(/masked-[a-z0-9]{8}/, with: "T") == expected)
    }

    @Test("an address has one token, in a field and in a sentence")
    func address() throws {
        var live = NamedRecords.record()
        live.load.target = LoadTarget(scheme: .https, host: "10.1.2.3", port: 443)
        live.diagnosis = RecordedDiagnosis(
            findings: [
                Finding(
                    rule: .hostName, title: "", keyPath: nil, expected: "a subjectAltName for 10.1.2.3",
                    observed: "none",
                    confidence: .documented, source: "")
            ], apple: nil, remedy: nil)
        let names = NameMask([.everyHost], key: key)
        let host = names.host("10.1.2.3")
        #expect(masked(live, as: names).contains("a subjectAltName for \(host)\""))
        var mask = RecordMask(names)
        mask.apply(to: &live)
        #expect(live.diagnosis?.findings.first?.expected == "a subjectAltName for \(host)")
    }

    private static func diagnosis(expected: String, observed: String) -> RecordedDiagnosis {
        RecordedDiagnosis(
            findings: [
                Finding(
                    rule: .hostName, title: "", keyPath: nil, expected: expected, observed: observed,
                    confidence: .documented, source: "")
            ], apple: nil, remedy: nil)
    }

    @Test("query values stay if only names are masked, and a name within another word is another name")
    func otherTexts() throws {
        var live = NamedRecords.record()
        live.load.path = "/a?page=2"
        live.load.redirectedFrom = "https://api.secret.test/?page=2"
        live.diagnosis = Self.diagnosis(
            expected: "xapi.secret.test, 1api.secret.test", observed: "api.secret.test")
        var mask = RecordMask(NameMask([try #require(MaskPattern("api.secret.test"))], key: key))
        mask.apply(to: &live)
        #expect(live.load.path == "/a?page=2" && live.load.redirectedFrom?.hasSuffix("/?page=2") == true)
        #expect(live.diagnosis?.findings.first?.expected == "xapi.secret.test, 1api.secret.test")
        #expect(live.diagnosis?.findings.first?.observed == live.load.target.host)
    }

    @Test("characters that would end a URL in a sentence do not end the load's URL or its redirecting URL")
    func oddPath() throws {
        var live = NamedRecords.record()
        live.load.path = "/users/{alice}/x"
        live.load.redirectedFrom = "https://api.secret.test/users/{alice}/<bob>"
        let finding = Finding(
            rule: .hostName, title: "", keyPath: nil, expected: "https://api.secret.test:8443/users/{alice}/x, too",
            observed: "GET /users/{alice}/x", confidence: .documented, source: "")
        live.diagnosis = RecordedDiagnosis(findings: [finding], apple: nil, remedy: nil)
        let some = NameMask(["api.secret.test", "/users/**"].compactMap { MaskPattern($0) }, key: key)
        for names in [some, .everything(key: key)] {
            let line = masked(live, as: names)
            for secret in ["secret", "alice", "bob"] { #expect(!line.contains(secret), "\(secret) in \(line)") }
        }
        var mask = RecordMask(some)
        mask.apply(to: &live)
        for secret in ["secret", "alice", "bob"] { #expect(!text(live).contains(secret), "\(text(live))") }
        #expect(live.diagnosis?.findings.first?.expected.hasSuffix("\(live.load.path), too") == true)
    }

    @Test(
        "a host that does not look like one is masked, because the load, its entry or its certificate names it",
        arguments: ["ops", "ops.md"])
    func unlikelyHosts(host: String) throws {
        var live = NamedRecords.record()
        live.load.target = LoadTarget(scheme: .https, host: host, port: 443)
        live.load.redirectedFrom = nil
        live.via = nil
        live.policy = RecordedPolicy(
            source: nil, bundleID: nil, os: "ios26",
            basis: RulingBasis(
                step: .exception,
                keyPath: "NSAppTransportSecurity.NSExceptionDomains.\(host).NSExceptionMinimumTLSVersion",
                entry: host))
        var leaf = CertificateFacts()
        (leaf.subject, leaf.issuer) = ("CN=\(host),O=Acme", "CN=Acme,1.2.840.113549.1.9.1=root@\(host)")
        (leaf.commonName, leaf.dnsNames) = (host, [host, "wiki"])
        live.origin?.facts.map { facts in
            var facts = facts
            (facts.served, facts.path) = ([leaf], [leaf])
            live.origin = RecordedOrigin(address: nil, facts: facts)
        }
        live.diagnosis = RecordedDiagnosis(
            findings: [
                Finding(
                    rule: .hostName, title: "", keyPath: live.policy.basis?.keyPath, expected: "a name for \(host)",
                    observed: "“\(host)” for wiki", confidence: .documented, source: "")
            ], apple: nil, remedy: nil)
        let names = NameMask([.everyHost], key: key)
        let line = masked(live, as: names)
        #expect(!line.contains("ops") && !line.contains("wiki") && line.contains("O=Acme"), "\(line)")
        let handshake = try #require(live.origin?.handshake)
        #expect(!names.handshake(handshake, of: host).text.contains("ops"))
        var mask = RecordMask(names)
        mask.apply(to: &live)
        #expect(!text(live).contains("ops") && !text(live).contains("wiki"), "\(text(live))")
    }

    @Test(
        "with everything masked, sentences contain neither issuers nor pins",
        arguments: ["CN=Acme\\, Inc. \\22CA\\22", #"OU = "Acme, Inc. \"CA\"";L=x"#])
    func issuersAndPins(issuer: String) throws {
        var record = NamedRecords.record()
        var leaf = CertificateFacts()
        (leaf.subject, leaf.issuer) = ("CN=api.secret.test", issuer)
        leaf.spkiSHA256 = NamedRecords.pin
        let declared = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        var facts = try #require(record.origin?.facts)
        (facts.served, facts.path) = ([leaf], [leaf])
        record.origin = RecordedOrigin(address: nil, facts: facts)
        record.diagnosis = Self.diagnosis(
            expected: "one of \(declared), \(NamedRecords.pin)", observed: "issued by Acme, Inc. \"CA\"")
        let line = masked(record, as: .everything(key: key))
        for secret in ["Acme", "Inc.", declared, NamedRecords.pin, "47DEQ"] {
            #expect(!line.replacing("\\/", with: "/").contains(secret), "\(secret) in \(line)")
        }
    }

    @Test("masked fields are listed in this order")
    func list() throws {
        var record = NamedRecords.full()
        var mask = RecordMask(NameMask(["*.secret.test", "/users/*"].compactMap { MaskPattern($0) }, key: key))
        mask.apply(to: &record)
        #expect(
            record.masked == [
                "load.redirectedFrom.query", "load.url.query", "findings", "apple.log", "client", "load.url.host",
                "load.url.path", "load.redirectedFrom.host", "load.redirectedFrom.path", "policy.entry", "origin",
                "via", "removed", "findings", "apple", "remedy", "device",
            ])
    }

    @Test func equalPartsStayShared() {
        let first = NamedRecords.record()
        var (one, other) = (first, first)
        var mask = RecordMask(NameMask([.everyHost], key: key))
        mask.apply(to: &one)
        mask.apply(to: &other)
        #expect(one.policy === other.policy && one.origin === other.origin)
    }

    @Test func unmatchedPatternChangesNothing() throws {
        var masked = NamedRecords.record()
        let before = text(masked)
        var mask = RecordMask(NameMask([try #require(MaskPattern("*.example.com"))], key: key))
        mask.apply(to: &masked)
        #expect(text(masked) == before)
    }

    @Test func fullMaskLeavesNoNames() throws {
        let line = masked(NamedRecords.record(), as: .everything(key: key))
        for secret in ["secret", "alice", "bob", "orders", "page", "Acme", "Demo", "nightly", "192.0.2", "Info"] {
            #expect(!line.contains(secret), "\(secret) in \(line)")
        }
        for kept in [
            "trust.host-name", "-9802", "TLS_AES_128_GCM_SHA256", "NSExceptionRequiresForwardSecrecy", ".plist",
        ] {
            #expect(line.contains(kept), "\(kept) is not in \(line)")
        }
    }

    private func object(_ record: LoadRecord) throws -> Any {
        var line: [UInt8] = []
        RecordJSON.append(record, to: &line)
        return try JSONSerialization.jsonObject(with: Data(line))
    }

    @Test("the full record has every field: set a new field there, or list it as absent")
    func fullRecord() throws {
        let full = try object(NamedRecords.full())
        #expect((full as? [String: Any])?.count == RecordFields.fields.count)
        #expect(SameTexts.empty(full).sorted() == NamedRecords.absent)
    }

    @Test("with everything masked, only these texts stay: a new field must be masked, or listed here")
    func everyField() throws {
        let record = NamedRecords.full()
        var masked = record
        var mask = RecordMask(.everything(key: key))
        mask.apply(to: &masked)
        let kept = try SameTexts.keys(object(record), object(masked))
        #expect(kept.sorted() == (NamedRecords.harmless + ["masked"]).sorted())
    }

    private func masked(_ record: LoadRecord, as names: NameMask) -> String {
        var record = record
        var mask = RecordMask(names)
        mask.apply(to: &record)
        return RecordJSON.text(record)
    }
}
