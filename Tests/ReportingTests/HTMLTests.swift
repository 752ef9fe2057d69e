import ATSPolicy
import Foundation
import Records
import Reporting
import Samples
import Testing

@Suite("The HTML report")
struct HTMLTests {
    @Test("the page has the verdict, a picture for each finding and the fixes, and makes no network request")
    func whole() throws {
        let html = try render([SampleLoads.plain(), SampleLoads.forwardSecrecy(), SampleLoads.unreachable()])
        #expect(html.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">"))
        #expect(html.contains("<h1 class=\"blocked\">1 of 3 loads blocked, on 1 host, by ats.forward-secrecy</h1>"))
        #expect(html.components(separatedBy: "<article").count == 3)
        #expect(html.components(separatedBy: "role=\"img\"").count == 4)
        #expect(html.contains("Offer an ECDHE suite."))
        #expect(html.contains("&lt;key&gt;NSExceptionRequiresForwardSecrecy&lt;/key&gt;\n"))
        for asking in ["src=", "<link", "@import", "url(", "fetch(", "http-equiv=\"refresh\""] {
            #expect(!html.contains(asking), "\(asking)")
        }
    }

    @Test("the page shows the use of the dictionary's keys, and the reasons that the App Store requires")
    func dictionary() throws {
        let html = try render(
            [SampleLoads.cleartext(), SampleLoads.plain()], ReportContext(declaration: Self.declaration))
        #expect(html.contains("Needed for open.lab.test because of ats.cleartext-load"))
        #expect(html.contains("Unused: no load used it"))
        #expect(html.contains("id=\"review-NSExceptionAllowsInsecureHTTPLoads\""))
        #expect(html.contains("<p>For open.lab.test</p>"))
        #expect(html.contains("iOS 27: allowed"))
    }

    @Test(
        "untrusted text stays in its place",
        arguments: [
            "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "\"\u{301} onmouseover=\"alert(1)",
            "'\u{301} onfocus='alert(1)", "{{script}}{{{style}}}", "]]>--><!--", "\u{1B}]0;x\u{7}", "\u{202E}abc",
        ])
    func injection(text: String) throws {
        let long = text + String(repeating: "x", count: 10_000)
        for foreign in [text, long] {
            let html = try render([Self.hostile(foreign)], ReportContext(declaration: .secureDefaults))
            #expect(!html.contains("<script>alert") && !html.contains("<img"))
            let scalars = html.unicodeScalars
            #expect(!scalars.contains { $0.value < 0x20 && $0 != "\n" && $0 != "\t" || $0 == "\u{202E}" })
            // A quotation mark of the text must not appear unescaped: no attribute of ours is followed by an accent.
            let marks = zip(scalars, scalars.dropFirst()).contains { $0 == "\"" && $1 == "\u{301}" }
            #expect(!marks)
            #expect(html.components(separatedBy: "<script>").count == 2 && html.contains("</script>\n</body>"))
            #expect(html.utf8.count < 60_000)
        }
    }

    @Test("a picture shows the offer, the refusal, and the result of the second handshake")
    func handshake() throws {
        var load = SampleLoads.forwardSecrecy()
        let facts = HandshakeFacts(
            version: .tls12, suite: CipherSuite(code: 0x9C, name: "TLS_RSA_WITH_AES_128_GCM_SHA256"), group: nil,
            alpn: nil, served: [], path: [], anchor: .system)
        let offer = TLSOffer(minimum: .tls12, maximum: .tls13, suites: [facts.suite])
        load.origin = RecordedOrigin(address: nil, facts: facts, failure: .alertReceived(40), offer: offer)
        let html = try render([load])
        #expect(html.contains("The gate offers the server: TLS 1.2 to TLS 1.3, 1 suite. The server answers: alert 40."))
        #expect(html.contains("The server chooses: TLS 1.2, TLS_RSA_WITH_AES_128_GCM_SHA256."))
        #expect(html.contains("Stopped at the gate: ats.forward-secrecy."))
    }

    @Test("the page's policy allows exactly its own script")
    func digest() throws {
        let html = try render([])
        let parts = html.components(separatedBy: "<script>")
        let script = try #require(parts.last?.components(separatedBy: "</script>").first)
        #expect(html.contains("script-src '\(try Self.digest(of: script))'"))
    }

    @Test("five hundred hosts that fail in as many ways stay under a megabyte")
    func sizeInBulk() throws {
        let loads = (0..<500).map { number in
            var load = Self.broken(number)
            if let diagnosis = load.diagnosis, var apple = diagnosis.apple {
                apple.code -= number
                load.diagnosis = RecordedDiagnosis(findings: diagnosis.findings, apple: apple, remedy: diagnosis.remedy)
            }
            return load
        }
        let html = try render(loads, ReportContext(declaration: Self.declaration))
        #expect(html.utf8.count < 1_000_000)
        #expect(html.contains("400 more hosts and rules are not shown here."))
    }

    @Test("hosts that one rule stopped in the same way share a card and a row of the table", arguments: [2, 30])
    func shared(hosts: Int) throws {
        let html = try render((0..<hosts).map(Self.broken))
        #expect(html.components(separatedBy: "<article").count == 2)
        #expect(html.contains("</span> \(hosts) hosts</h3>"))
        #expect(html.components(separatedBy: "<a href=\"#case-").count == 2)
        for number in 0..<hosts {
            #expect(html.contains("host-\(number).example.com"))
        }
    }

    @Test("the table of problems comes first, then a card for each cause, and the timeline last")
    func order() throws {
        let html = try render([SampleLoads.plain(), SampleLoads.forwardSecrecy(), SampleLoads.unreachable()])
        let row =
            "<a href=\"#case-1\">rsa-kx.lab.test</a></th><td><span class=\"blocked\">blocked</span>: origin chose "
            + "TLS_RSA_WITH_AES_128_GCM_SHA256, ATS needs ECDHE</td><td>Offer an ECDHE suite.</td>"
            + "<td class=\"number\">1</td>"
        var place = html.startIndex
        for part in [
            "<h1", "<section id=\"problems\"", row, "<section id=\"causes\"", "id=\"case-2\"", "id=\"traffic\"",
        ] {
            let found = try #require(html[place...].range(of: part), "\(part)")
            place = found.upperBound
        }
    }

    private static func broken(_ number: Int) -> LoadRecord {
        var load = SampleLoads.forwardSecrecy(number * 1000)
        load.load.target = LoadTarget(scheme: .https, host: "host-\(number).example.com", port: 443)
        return load
    }

    @Test("a picture never cuts words, but continues on the next line")
    func wholeWords() {
        let long = "-1200 [3:-9802] if ATS is on for the host, otherwise -1202 with the code of the defect"
        let svg = HandshakePicture(
            request: "GET https://a.example", offer: "TLS", choice: nil, served: nil, end: .judging, trouble: "x",
            answer: long
        ).svg
        #expect(!svg.contains("…"))
        #expect(svg.contains(">-1200 [3:-9802] if ATS is on for the host,<"))
        #expect(svg.contains(">otherwise -1202 with the code of the defect<"))
    }

    @Test("no two landmarks have the same name")
    func landmarks() throws {
        let loads = [SampleLoads.plain(), SampleLoads.forwardSecrecy()]
        let html = try render(loads, ReportContext(declaration: Self.declaration))
        let parts = html.components(separatedBy: "aria-labelledby=\"").dropFirst()
        let named = parts.compactMap { $0.split(separator: "\"").first }
        #expect(Set(named).count == named.count)
        #expect(!html.contains("role=\"region\""))
    }

    private func render(_ loads: [LoadRecord], _ context: ReportContext = ReportContext()) throws -> String {
        return try ReportFormat.html.render(loads, context)
    }

    /// A load with this text wherever a network or a file can supply some.
    private static func hostile(_ text: String) -> LoadRecord {
        var load = SampleLoads.forwardSecrecy()
        load.recording = text
        load.load = RecordedRequest(
            method: text, path: "/" + text, target: LoadTarget(scheme: .https, host: text, port: 443),
            wireProtocol: .http1, redirectedFrom: text)
        load.client = RecordedClient(address: text, label: text, userAgent: text, loader: .app, os: "ios26")
        load.policy = RecordedPolicy(
            source: text, bundleID: text, os: "ios26", basis: RulingBasis(step: .exception, keyPath: text, entry: text))
        var leaf = CertificateFacts()
        (leaf.subject, leaf.issuer, leaf.signature, leaf.commonName) = (text, text, text, text)
        let facts = HandshakeFacts(
            version: .tls12, suite: CipherSuite(code: 0xFFFF, name: text), group: text, alpn: text, served: [leaf],
            path: [leaf], anchor: .system)
        load.origin = RecordedOrigin(address: text, facts: facts)
        let finding = Finding(
            rule: .forwardSecrecy, title: text, keyPath: text, expected: text, observed: text, confidence: .observed,
            source: text)
        let apple = AppleError(
            domain: text, code: -1200, constant: text, message: text,
            stream: AppleError.Stream(domain: 3, code: -9802, constant: text), log: [text, text], confidence: .observed)
        load.diagnosis = RecordedDiagnosis(
            findings: [finding], apple: apple,
            remedy: Remedy(server: [text], exception: ExceptionFix(domain: text, settings: [.init(text, .text(text))])))
        return load
    }

    private static var declaration: Declaration {
        let key = PropertyMember(key: ATSKey.insecureHTTP, node: PropertyNode(.boolean(true)))
        let entries = ["open.lab.test", "old.lab.test"].map {
            PropertyMember(key: $0, keyLine: 8, node: PropertyNode(.dictionary([key])))
        }
        return Declaration.secureDefaults.with([
            PropertyMember(key: ATSKey.exceptionDomains, node: PropertyNode(.dictionary(entries)))
        ])
    }

    /// The digest from the openssl command, which the build requires anyway.
    private static func digest(of script: String) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl", "dgst", "-sha256", "-binary"]
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        input.fileHandleForWriting.write(Data(script.utf8))
        try input.fileHandleForWriting.close()
        let digest = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return "sha256-" + digest.base64EncodedString()
    }
}
