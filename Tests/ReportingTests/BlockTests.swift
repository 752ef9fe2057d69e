import ATSPolicy
import Foundation
import Records
import Reporting
import Samples
import Testing

@Suite("Blocks of the text report")
struct BlockTests {
    private func certificate(_ name: String, by issuer: String) -> CertificateFacts {
        var certificate = CertificateFacts()
        certificate.subject = "CN=\(name)"
        certificate.issuer = "CN=\(issuer)"
        return certificate
    }

    private func report(_ chain: [CertificateFacts], _ anchor: TrustAnchor) throws -> String {
        var record = SampleLoads.forwardSecrecy()
        record.origin = RecordedOrigin(
            address: nil,
            facts: HandshakeFacts(
                version: .tls12, suite: CipherSuite(code: 0x9C, name: "TLS_RSA_WITH_AES_128_GCM_SHA256"), group: nil,
                alpn: "h2", served: chain, path: chain, anchor: anchor))
        record.load.redirectedFrom = "http://lab.test/old"
        record.shown = ShownError(style: .close, code: -1200, streamErrorCode: -9816)
        return try text([record])
    }

    private func text(_ records: [LoadRecord]) throws -> String {
        let rows = records.map { SampleLoads.filed($0) }
        return try ReportFormat.text.render(rows)
    }

    @Test("a block shows the negotiation, the client, the redirect and both error codes")
    func facts() throws {
        let text = try report([certificate("a.test", by: "Root")], .system)
        #expect(text.contains("ats.forward-secrecy  -1200 [3:-9802], the app saw -1200 [3:-9816]  x1\n"))
        #expect(text.contains("    tls    TLS 1.2, TLS_RSA_WITH_AES_128_GCM_SHA256, h2\n"))
        #expect(text.contains("    client app, ios26\n"))
        #expect(text.contains("    from   a redirect by http://lab.test/old\n"))
    }

    @Test("the chain is shown as served, with its gap marked")
    func chains() throws {
        let leaf = certificate("a.test", by: "Middle")
        let middle = certificate("Middle", by: "Root")
        let root = certificate("Root", by: "Root")
        for (chain, anchor, words) in [
            ([leaf, middle], TrustAnchor.system, "“a.test” > “Middle” > “Root” (trusted)"),
            ([leaf, middle, root], .unknownRoot, "“a.test” > “Middle” > “Root” (not trusted)"),
            ([leaf], .incomplete, "“a.test” > [missing: “Middle”]"),
            ([leaf, root], .system, "“a.test” > [missing: “Middle”] > “Root” (trusted)"),
            ([certificate("a.test", by: "a.test")], .selfSignedLeaf, "“a.test” (self-signed)"),
        ] {
            #expect(try report(chain, anchor).contains("    chain  \(words)\n"), "\(words)")
        }
    }

    @Test(
        "a name in the chain is the common name of RFC 2253 text, in any notation",
        arguments: [
            ("cn=a.test,O=x", "a.test"), ("O=x, CN = a.test", "a.test"), (#"CN=a\2Ctest\C3\A9"#, "a,testé"),
            (#"O=x\,CN=y"#, #"O=x\,CN=y"#),
        ])
    func names(subject: String, shown: String) throws {
        var leaf = certificate("a.test", by: "Middle")
        leaf.subject = subject
        #expect(try report([leaf], .incomplete).contains("    chain  “\(shown)” > [missing: “Middle”]\n"))
    }

    /// A blocked load of each host, by the rule of the same place.
    private func blocked(_ hosts: [String], by rules: [RuleID], helped: String) -> [LoadRecord] {
        zip(hosts, rules).map { host, rule in
            var record = SampleLoads.plain(verdict: .blocked, host: host)
            let finding = Finding(
                rule: rule, title: "Expired", keyPath: nil, expected: "a valid one", observed: "\(host) expired",
                confidence: .observed, source: "")
            record.diagnosis = RecordedDiagnosis(
                findings: [finding], apple: nil, remedy: Remedy([.server("Renew the certificate."), .noKey(helped)]))
            return record
        }
    }

    @Test("the reason why no key helps is printed once")
    func once() throws {
        let sentence = "No ATS key helps: an exception never makes a bad certificate good."
        let text = try text(blocked(["a.test", "b.test"], by: [.expired, .notYetValid], helped: sentence))
        #expect(text.components(separatedBy: sentence).count == 2)
        #expect(text.contains("    key    No Info.plist key fixes this.\n"))
    }

    @Test("hosts with the same cause share a block, with one reason each and one fix")
    func sharedCause() throws {
        let hosts = ["a.test", "b.test", "c.test"]
        let text = try text(blocked(hosts, by: [.expired, .expired, .expired], helped: "No key helps."))
        #expect(text.hasPrefix("3 of 3 loads blocked, on 3 hosts, by trust.expired\n\nBLOCKED (3)\n"))
        #expect(text.contains("  trust.expired  x3  on 3 hosts\n"))
        for host in hosts {
            #expect(text.contains("    host   \(host)  x1  https://\(host)/0\n           \(host) expired"))
        }
        #expect(text.components(separatedBy: "Renew the certificate.").count == 2)
    }
}
