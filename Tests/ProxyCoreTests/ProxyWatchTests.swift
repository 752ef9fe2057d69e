import ATSPolicy
import OriginHandshake
import Testing

/// The recognition of proxies by the certificates that their CA signs.
@Suite("recognizing a decrypting proxy")
struct ProxyWatchTests {
    /// The facts of a handshake with a certificate for a host.
    private func facts(
        _ host: String, issuer: String = "CN=Workbench CA", anchor: TrustAnchor = .user, key: String? = nil
    ) -> HandshakeFacts {
        var leaf = CertificateFacts()
        leaf.subject = "CN=\(host)"
        leaf.issuer = issuer
        leaf.spkiSHA256 = key ?? "key of \(host)"
        var root = CertificateFacts()
        root.subject = issuer
        root.issuer = issuer
        root.spkiSHA256 = "key of \(issuer)"
        return HandshakeFacts(
            version: .tls13, suite: CipherSuite(code: 0x1301, name: "TLS_AES_128_GCM_SHA256"), group: "X25519",
            alpn: nil, served: [leaf], path: anchor == .incomplete ? [leaf] : [leaf, root], anchor: anchor)
    }

    private func found(
        _ hosts: [String], anchor: TrustAnchor = .user, key: String? = nil, _ handling: DecryptedOrigins = .infer
    ) -> [DecryptingProxy?] {
        let watch = ProxyWatch()
        return hosts.map { watch.proxy(in: facts($0, anchor: anchor, key: key), of: $0, handling) }
    }

    @Test(
        "an unknown CA is a proxy's once it signed for four owners",
        arguments: [TrustAnchor.user, .incomplete, .unknownRoot])
    func fourOwners(anchor: TrustAnchor) throws {
        let proxies = found(["a.com", "b.org", "c.co.uk", "www.d.dev"], anchor: anchor)
        #expect(proxies.prefix(3).allSatisfy { $0 == nil })
        let proxy = try #require(proxies.last ?? nil)
        #expect(proxy.name == "Workbench CA" && proxy.confidence == .inferred)
        #expect(proxy.owners == ["a.com", "b.org", "c.co.uk", "d.dev"])
    }

    @Test("three owners suffice if the certificates share one key")
    func sharedKey() {
        #expect(found(["a.com", "b.org", "c.net"], key: "one").map { $0 != nil } == [false, false, true])
    }

    @Test(
        "a CA that signs for one owner, or for internal names, is not a proxy's",
        arguments: [
            ["a.bank.com", "b.bank.com", "bank.de", "bank.co.uk", "bank.fr", "bank.it"],
            ["a.corp.example", "b.corp.example", "c.other.example", "d.third.example", "e.fourth.example"],
            ["mail.corp", "db.internal", "wiki.lan", "printer.local", "host", "10.0.0.1", "x.home.arpa"],
            ["a.herokuapp.com", "herokuapp.com", "co.uk", "com.au"],
        ])
    func ownCA(hosts: [String]) {
        #expect(found(hosts, key: "one").allSatisfy { $0 == nil })
    }

    @Test("public roots and self-signed leaves never count", arguments: [TrustAnchor.system, .selfSignedLeaf, .broken])
    func publicRoot(anchor: TrustAnchor) {
        #expect(found(["a.com", "b.org", "c.net", "d.dev", "e.app"], anchor: anchor).allSatisfy { $0 == nil })
    }

    @Test("inference can be turned off, and known names, too")
    func switched() {
        let hosts = ["a.com", "b.org", "c.net", "d.dev", "e.app"]
        #expect(found(hosts, .named).allSatisfy { $0 == nil })
        let watch = ProxyWatch()
        let known = facts("a.com", issuer: "CN=x,O=mitmproxy", anchor: .system)
        #expect(watch.proxy(in: known, of: "a.com", .named)?.name == "mitmproxy")
        #expect(watch.proxy(in: known, of: "a.com", .judge) == nil)
    }

    @Test("many CAs do not exhaust the memory, and the latest are still known")
    func manyIssuers() {
        let watch = ProxyWatch()
        for number in 0..<2_000 {
            #expect(watch.proxy(in: facts("a.com", issuer: "CN=\(number)"), of: "a.com", .infer) == nil)
        }
        for host in ["b.org", "c.net"] {
            #expect(watch.proxy(in: facts(host, issuer: "CN=1999"), of: host, .infer) == nil)
        }
        #expect(watch.proxy(in: facts("d.dev", issuer: "CN=1999"), of: "d.dev", .infer) != nil)
    }
}
