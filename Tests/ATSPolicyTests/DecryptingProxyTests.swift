import ATSPolicy
import Testing

@Suite("names of decrypting proxies")
struct DecryptingProxyTests {
    @Test(
        "the CA of a debugging proxy or of TLS inspection is known by its name",
        arguments: [
            ("CN=mitmproxy,O=mitmproxy", "mitmproxy"),
            ("CN=Charles Proxy CA (24 Mar 2022\\, mac.local),OU=https://charlesproxy.com/ssl,O=XK72 Ltd", "Charles"),
            ("CN=Proxyman CA (1 Jan 2026\\, mac),OU=https://proxyman.io/ssl,O=Proxyman LLC", "Proxyman"),
            ("CN=PortSwigger CA,OU=PortSwigger CA,O=PortSwigger", "Burp Suite"),
            ("CN=DO_NOT_TRUST_FiddlerRoot,O=DO_NOT_TRUST,OU=Created by http://www.fiddler2.com", "Fiddler"),
            ("CN=HTTP Toolkit CA - DO NOT TRUST", "HTTP Toolkit"),
            ("CN=Surge Generated CA 9F537BE0", "Surge"), ("CN=RQProxyCA", "Requestly"),
            ("CN=OWASP Zed Attack Proxy Root CA,L=1,O=OWASP Root CA", "ZAP"),
            ("CN=Zscaler Intermediate Root CA (zscaler.net),O=Zscaler Inc.", "Zscaler"),
            ("CN=ca.example.goskope.com,O=Example", "Netskope"),
        ])
    func known(issuer: String, name: String) {
        #expect(DecryptingProxy.named(byIssuer: issuer)?.name == name)
    }

    @Test(
        "public CAs and CAs of companies are not known names",
        arguments: [
            "CN=R11,O=Let's Encrypt,C=US", "CN=DigiCert Global G2 TLS RSA SHA256 2020 CA1,O=DigiCert Inc,C=US",
            "CN=WE2,O=Google Trust Services,C=US", "CN=Corp Root", "CN=mkcert user@mac", "CN=atsgate lab root",
        ])
    func unknown(issuer: String) { #expect(DecryptingProxy.named(byIssuer: issuer) == nil) }

    @Test("the certificate of a tool's own website is not the tool's CA")
    func ownSite() {
        var leaf = CertificateFacts()
        leaf.subject = "CN=mitmproxy.org"
        leaf.issuer = "CN=R11,O=Let's Encrypt"
        #expect(DecryptingProxy.named(in: [leaf]) == nil)
        leaf.issuer = "CN=mitmproxy"
        #expect(DecryptingProxy.named(in: [leaf]) != nil)
    }

    @Test(
        "the domain of an owner is below a public suffix",
        arguments: [
            ("www.example.com", "example.com", "example"), ("a.b.example.co.uk.", "example.co.uk", "example"),
            ("me.github.io", "me.github.io", "me"), ("EXAMPLE.de", "example.de", "example"),
        ])
    func owner(host: String, domain: String, owner: String) {
        let found = OwnerDomain(of: host)
        #expect(found?.domain == domain && found?.owner == owner)
    }

    @Test(
        "addresses, internal names and suffixes have no owner",
        arguments: [
            "localhost", "a.local", "a.test", "a.corp.example", "10.1.2.3", "::1", "[::1]", "com", "co.uk", "github.io",
            "nas.home.arpa", "", ".", "a..b",
        ])
    func noOwner(host: String) {
        #expect(OwnerDomain(of: host) == nil)
    }
}
