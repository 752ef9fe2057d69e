import Onboarding
import ProxyCore
import Testing
import Text

@Suite("onboarding")
struct OnboardingTests {
    private static let certificate = PublicCertificate(
        name: "atsgate <b>CA</b>", der: [0x30, 0x01], pem: "-----BEGIN CERTIFICATE-----\n",
        fingerprint: String(repeating: "ab", count: 32))

    private let onboarding = Onboarding(
        certificate: certificate, passthrough: [HostPattern("*.pinned.test")].compactMap(\.self)
    ) {
        [
            Authority(host: "10.0.0.2", port: 9802), Authority(host: "192.168.1.20", port: 9802),
            Authority(host: "127.0.0.1", port: 9802),
        ]
    }

    private func answer(
        _ path: String, _ arrival: OwnRequest.Arrival = .direct, query: String = "",
        host: Authority = Authority(host: "192.168.1.20", port: 9802), client: String = "192.168.1.7",
        agent: String? = nil
    ) -> OwnAnswer? {
        onboarding.answer(
            OwnRequest(
                arrival, path: path, query: query, authority: host, client: client, userAgent: agent, time: 1))
    }

    private func text(_ answer: OwnAnswer?) -> String { String(decoding: answer?.body ?? [], as: UTF8.self) }

    private static let iPhone =
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
        + "Version/18.5 Mobile/15E148 Safari/604.1"

    @Test("the CA is served in three formats, each with the media type that devices act on")
    func files() {
        #expect(answer("/atsgate-ca.mobileconfig")?.mediaType == "application/x-apple-aspen-config")
        #expect(text(answer("/atsgate-ca.mobileconfig")) == ConfigurationProfile(Self.certificate).text)
        #expect(answer("/atsgate-ca.cer")?.mediaType == "application/x-x509-ca-cert")
        #expect(answer("/atsgate-ca.cer")?.body == [0x30, 0x01])
        #expect(answer("/atsgate-ca.pem")?.mediaType == "application/x-pem-file")
        #expect(text(answer("/atsgate-ca.pem")) == "-----BEGIN CERTIFICATE-----\n")
        #expect(answer("/ca-key.pem") == nil)
        #expect(answer("/../ca-key.pem") == nil)
    }

    @Test("the picture of a light is served only to requests that prove it")
    func lights() {
        let lights = ["reached", "through", "installed", "trusted"]
        func seen(_ arrival: OwnRequest.Arrival) -> [String] {
            lights.filter { answer("/lights/\($0).svg", arrival) != nil }
        }
        #expect(seen(.direct) == ["reached"])
        #expect(seen(.proxied) == ["reached", "through"])
        #expect(seen(.secure) == lights)
    }

    @Test("a client whose traffic is redirected here gets no instructions for a proxy", arguments: [true, false])
    func redirected(isRedirected: Bool) {
        var request = OwnRequest(
            .proxied, path: "/", authority: Authority(host: OwnSite.name, port: nil), client: "10.98.2.2",
            userAgent: Self.iPhone, time: 1)
        request.isRedirected = isRedirected
        let page = text(onboarding.answer(request))
        #expect(page.contains("Send its traffic here") == !isRedirected)
        #expect(page.contains("data-light=\"trusted\""))
    }

    @Test("the page shows the lights that the request proves, and tests the others with pictures")
    func page() {
        let direct = text(answer("/"))
        #expect(direct.contains("<li id=\"reached\" data-state=\"on\">"))
        #expect(direct.contains("<img src=\"http://atsgate.test/lights/through.svg\" alt=\"\">"))
        #expect(direct.contains("<img src=\"https://atsgate.test/lights/trusted.svg\" alt=\"\">"))
        let proxied = text(answer("/", .proxied, host: Authority(host: "atsgate.test", port: nil)))
        #expect(proxied.contains("<li id=\"through\" data-state=\"on\">"))
        #expect(!proxied.contains("http://atsgate.test/lights/"))
        let secure = text(answer("/", .secure, host: Authority(host: "atsgate.test", port: nil)))
        #expect(secure.contains("<li id=\"trusted\" data-state=\"on\">"))
        #expect(!secure.contains("https://atsgate.test/"))
    }

    @Test("the icon that browsers request automatically exists")
    func icon() {
        #expect(answer("/favicon.ico")?.mediaType == "image/svg+xml")
    }

    @Test("a client that fetched the certificate sees that it must still be trusted, and other clients do not")
    func fetched() {
        #expect(!text(answer("/")).contains("data-state=\"half\""))
        _ = answer("/atsgate-ca.mobileconfig")
        #expect(text(answer("/")).contains("<li id=\"installed\" data-state=\"half\">"))
        #expect(text(answer("/lights.json")).contains("\"fetched\":true"))
        #expect(!text(answer("/", client: "192.168.1.8")).contains("data-state=\"half\""))
        #expect(text(answer("/lights.json", client: "192.168.1.8")).contains("\"fetched\":false"))
    }

    @Test(
        "the instructions are those for the client's system, or for the chosen one",
        arguments: [
            (iPhone, "", "Set up this iPhone"), (iPhone, "system=tvos", "Set up this Apple TV"),
            ("Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X)", "", "Set up this iPad"),
            ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)", "", "Set up this Mac"),
            ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)", "system=visionos", "Set up this Apple Vision"),
            ("Mozilla/5.0 (Linux; Android 15; Pixel 9)", "", "Set up this Android device"),
            ("curl/8.5.0", "system=<script>", "Set up a device"), ("", "a=b&system=watchos", "Set up this Apple Watch"),
        ])
    func systems(agent: String, query: String, heading: String) {
        #expect(text(answer("/", query: query, agent: agent)).contains("<h1>\(heading)</h1>"))
    }

    @Test("every system has instructions for setup and for undoing it")
    func steps() {
        for system in DeviceSystem.allCases {
            let page = text(answer("/", query: "system=\(system.rawValue)"))
            #expect(page.contains("192.168.1.20"), "\(system)")
            #expect(page.contains("class=\"button\""), "\(system)")
            #expect(page.contains("Undo the setup"), "\(system)")
        }
    }

    @Test("untrusted text never becomes markup, and the Content-Security-Policy allows no inline or external content")
    func harmless() {
        let page = text(answer("/", query: "system=%3Cscript%3E", agent: "<script>alert(1)</script>"))
        #expect(page.contains("atsgate &lt;b&gt;CA&lt;/b&gt;"))
        #expect(!page.contains("<script>"))
        #expect(!page.contains("style=\""))
        let policy = answer("/")?.fields.first { $0.name == "Content-Security-Policy" }?.value ?? ""
        #expect(policy.hasPrefix("default-src 'none';"))
        #expect(!policy.contains("unsafe"))
    }

    @Test("only a gate in witness mode has a page with the addresses to load, and links to it")
    func witness() {
        #expect(!text(answer("/")).contains("/witness"))
        #expect(text(answer("/witness")).contains("--mode witness"))
        #expect(!text(answer("/witness")).contains("data-url"))
        let watching = Onboarding(certificate: Self.certificate, witnessed: ["https://a.test/", "http://\"<b>.test/"]) {
            []
        }
        func page(_ path: String) -> OwnAnswer? {
            let authority = Authority(host: "192.168.1.20", port: 9802)
            return watching.answer(OwnRequest(.direct, path: path, authority: authority, client: "192.168.1.7"))
        }
        #expect(text(page("/")).contains("<a class=\"button\" href=\"/witness\">2 addresses to load</a>"))
        #expect(text(page("/witness")).contains("data-url=\"https://a.test/\""))
        #expect(text(page("/witness")).contains("data-url=\"http://&quot;&lt;b&gt;.test/\""))
        #expect(page("/witness.js")?.mediaType.hasPrefix("text/javascript") == true)
        let policy = page("/witness")?.fields.first { $0.name == "Content-Security-Policy" }?.value ?? ""
        #expect(policy.hasPrefix("default-src 'none'; style-src 'self'; script-src 'self';"))
        for kind in ["frame", "img", "connect"] { #expect(policy.contains("; \(kind)-src http: https:; ")) }
        #expect(!policy.contains("unsafe"))
    }

    @Test("the PAC file has the gate's address as the device reaches it")
    func automatic() {
        let direct = answer("/proxy.pac")
        #expect(direct?.mediaType == "application/x-ns-proxy-autoconfig")
        #expect(text(direct).contains("return \"PROXY 192.168.1.20:9802\";"))
        #expect(text(direct).contains("covers([], [\".pinned.test\"])"))
        // Through the proxy the name has no address: the gate's address on the client's network is used.
        let named = Authority(host: "atsgate.test", port: nil)
        #expect(text(answer("/proxy.pac", .proxied, host: named)).contains("PROXY 192.168.1.20:9802"))
        let other = text(answer("/proxy.pac", .proxied, host: named, client: "10.0.0.9"))
        #expect(other.contains("PROXY 10.0.0.2:9802"))
        #expect(text(answer("/proxy.pac", .proxied, host: named, client: "127.0.0.1")).contains("PROXY 127.0.0.1:9802"))
    }

    @Test(
        "the PAC file bypasses the gate for Apple's services if the gate does not decrypt them for the client",
        arguments: [
            (AppleServices.Scope.devices, true, false), (.everyone, true, true), (.nobody, false, false),
        ])
    func appleServices(scope: AppleServices.Scope, device: Bool, sameMachine: Bool) {
        let onboarding = Onboarding(certificate: Self.certificate, appleServices: scope) { [] }
        func leavesOut(_ client: String) -> Bool {
            let host = Authority(host: "192.168.1.20", port: 9802)
            let request = OwnRequest(.direct, path: "/proxy.pac", authority: host, client: client)
            let script = text(onboarding.answer(request))
            // Only TLS connects directly, because cleartext can be judged. Private Relay's hosts match a wildcard of
            // the list, but must use the gate.
            let lines = script.split(separator: "\n").map { $0.drop { $0 == " " } }
            let relay = lines.firstIndex { $0.hasPrefix("if (covers([\"mask.icloud.com\", ") }
            let direct = lines.firstIndex { $0.hasPrefix("if (!isClear && covers(") }
            #expect(relay.map { relay in direct.map { relay < $0 } == true } == true)
            return script.contains("\".push.apple.com\"")
        }
        #expect(leavesOut("192.168.1.7") == device)
        #expect(leavesOut("::1") == sameMachine)
    }

    @Test("every host in the list of Apple's services is valid, unique, and owned by Apple or its relays")
    func appleServicesList() {
        let owners = ["apple", "icloud", "mzstatic", "apzones", "shazam", "itunes", "appsto.re"]
        for host in ["mask.icloud.com", "mask-h2.icloud.com", "mask-api.icloud.com", "a.mask.icloud.com"] {
            #expect(!AppleServices.hosts.contains(host))
        }
        for host in ["cp4.cloudflare.com", "apple-relay.fastly-edge.com"] {
            #expect(!AppleServices.hosts.contains(host))
        }
        #expect(AppleServices.patterns.count > 80)
        #expect(Set(AppleServices.patterns.map(\.text)).count == AppleServices.patterns.count)
        for pattern in AppleServices.patterns {
            #expect(AppleServices.hosts.contains(pattern.isWildcard ? "a.\(pattern.name)" : pattern.name))
            #expect(owners.contains { pattern.name.contains($0) }, "\(pattern.text)")
        }
    }

    /// One host for each form of the rules, and some that no form covers. Source: security_certificates 55349.0.11,
    /// Pinning/CertificatePinning.plist.
    @Test("every form of Apple's pinning rules is passed through, and its neighbours are not")
    func applePinningRules() {
        let pinned = [
            "www.apple.com", "testflight.apple.com", "api-sk.shazam.com", "kit-cdn.shazam.com", "appsto.re",
            "cn-crt-pod12-smp-device.apple.com", "pod-smp-device-dr.apple.com", "nc-crt1-device-asset-ccs.apple.com",
            "vs-tps-reporting-cert.apple.com", "a-wpc-device.apple.com", "fpservices-prod2.apple.com",
            "pos-device-cert-qa12.apple.com", "idv-prod7.apple.com", "idv-cert3.apay.apple.com",
            "iphonesubmissions-a.corp.apple.com", "x-ps2ls.apple.com", "sc5mv.apple.com", "cl3-cn.apple.com",
            "csig-pv-cert.apple.com", "gsas.apple.com", "gsra-uat.apple.com", "tula-aws-euw1.apple.com",
            "konut-server-cert.apple.com", "aacservices-jp.apple.com", "staging-weather-data.apple.com",
            "provider-a.health.apple.com", "ontology1.health.apple.com", "a.phobos.apple.com", "a.itunes.com",
            "identity.ess.apple.com", "a.teams.apple-studies.com", "ingest.qa.teststudies.apple.com",
            "WWW.Apple.Com.", "cn-apple-pay-gateway.apple.com",
        ]
        for host in pinned { #expect(AppleServices.hosts.contains(host), "\(host)") }
        for host in [
            "developer.apple.com", "a.pos-device.example.com", "smp-device.example.com", "a.b-wpc-device.apple.com",
        ] {
            #expect(!AppleServices.hosts.contains(host), "\(host)")
        }
    }

    @Test("the policy in force is shown only to the gate's own machine")
    func policy() {
        func state(_ client: String) -> String {
            var request = OwnRequest(
                .direct, path: "/lights.json", authority: Authority(host: "127.0.0.1", port: 9802), client: client)
            request.policy = "/projects/Info.plist"
            return text(onboarding.answer(request))
        }
        #expect(state("127.0.0.1").contains("\"policy\":\"/projects/Info.plist\""))
        #expect(!state("192.168.1.7").contains("policy"))
    }

    @Test("the page has a QR code if a phone can connect, else instructions to allow it")
    func code() {
        #expect(text(answer("/")).contains("aria-label=\"QR code of http://10.0.0.2:9802/\""))
        let alone = Onboarding(certificate: Self.certificate) { [Authority(host: "127.0.0.1", port: 9802)] }
        let request = OwnRequest(
            .direct, path: "/", authority: Authority(host: "127.0.0.1", port: 9802), client: "127.0.0.1")
        let page = text(alone.answer(request))
        #expect(!page.contains("<svg"))
        #expect(page.contains("--allow-lan"))
    }
}
