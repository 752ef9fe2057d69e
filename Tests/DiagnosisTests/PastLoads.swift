import ATSPolicy
import Declarations
import Diagnosis
import Records

/// Recorded loads, made from the rules' own examples.
enum PastLoads {
    static func declaration(_ json: String) throws -> Declaration {
        try DeclarationReader.parse(Array(json.utf8), source: "Old.json")
    }

    static func url(_ text: String) -> LoadTarget {
        let isSecure = text.hasPrefix("https://")
        let scheme = isSecure ? LoadTarget.Scheme.https : .http
        return LoadTarget(
            scheme: scheme, host: String(text.dropFirst(isSecure ? 8 : 7)), port: scheme.defaultPort)
    }

    static func group(
        _ load: LoadRecord, on system: OSProfile, handshake: Int64?, loads: Int = 1
    ) -> LoadGroup {
        var group = LoadGroup(load, handshakeNumber: handshake, loads: loads)
        group.system = system
        return group
    }

    static func cleartext(_ host: String) -> LoadRecord {
        load("http://\(host)", nil, .blocked, .cleartextLoad)
    }

    /// An origin that supports only static RSA, seen by a gate with a strict offer.
    static func staticRSA(_ host: String) -> LoadRecord {
        let facts = facts(.tls12, CipherSuite(code: 0x009D, name: "TLS_RSA_WITH_AES_256_GCM_SHA384"), host)
        return load("https://\(host)", refused(facts), .blocked, .forwardSecrecy)
    }

    /// The same origin, seen by a gate that offered all suites.
    static func staticRSAByChoice(_ host: String) -> LoadRecord {
        let facts = facts(.tls12, CipherSuite(code: 0x009D, name: "TLS_RSA_WITH_AES_256_GCM_SHA384"), host)
        let offer = TLSOffer(minimum: .tls12, maximum: .tls13, suites: OSProfile.iOS26.systemSuites)
        return load("https://\(host)", RecordedHandshake(facts: facts, offer: offer), .allowed)
    }

    /// An origin limited to TLS 1.1.
    static func old(_ host: String) -> LoadRecord {
        let suite = CipherSuite(code: 0xC013, name: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA")
        return load("https://\(host)", refused(facts(.tls11, suite, host)), .blocked, .tlsVersion)
    }

    static func good(_ host: String) -> LoadRecord {
        let suite = CipherSuite(code: 0x1301, name: "TLS_AES_128_GCM_SHA256")
        return load("https://\(host)", RecordedHandshake(facts: facts(.tls13, suite, host), offer: strict), .allowed)
    }

    static func expired(_ host: String) -> LoadRecord {
        var facts = facts(.tls13, CipherSuite(code: 0x1301, name: "TLS_AES_128_GCM_SHA256"), host)
        facts.path[0].notAfter = time - 1
        return load("https://\(host)", RecordedHandshake(facts: facts, offer: strict), .blocked, .expired)
    }

    private static let time: Int64 = 1_790_000_000
    private static let strict = TLSOffer(minimum: .tls12, maximum: .tls13, suites: OSProfile.iOS26.atsSuites)

    private static func refused(_ facts: HandshakeFacts) -> RecordedHandshake {
        RecordedHandshake(facts: facts, failure: .alertReceived(40), offer: strict)
    }

    private static func load(
        _ text: String, _ handshake: RecordedHandshake?, _ verdict: Verdict, _ rule: RuleID? = nil
    ) -> LoadRecord {
        var record = LoadRecord(
            time: time * 1_000, recording: "nightly",
            client: RecordedClient(address: "127.0.0.1:50000", label: nil, userAgent: nil, loader: .app, os: "ios26"),
            load: RecordedRequest(method: "GET", path: "/", target: url(text), wireProtocol: .http1),
            policy: RecordedPolicy(source: nil, bundleID: nil, os: "ios26", basis: nil), verdict: verdict)
        record.restore(handshake)
        if let rule {
            record.findings = [
                Finding(
                    rule: rule, title: "", keyPath: nil, expected: "", observed: "", confidence: .observed, source: "")
            ]
        }
        return record
    }

    /// Facts of a faultless chain for `host`.
    private static func facts(_ version: TLSVersion, _ suite: CipherSuite, _ host: String) -> HandshakeFacts {
        let examples = RuleBook.standard.rule(.tlsVersion)?.examples ?? []
        guard var facts = examples.first(where: { $0.expected == .pass })?.handshake.facts else {
            preconditionFailure("no example")
        }
        facts.version = version
        facts.suite = suite
        facts.path[0].dnsNames = [host]
        facts.served = Array(facts.path.dropLast())
        return facts
    }
}
