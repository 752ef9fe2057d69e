import ATSPolicy
import Records

/// Records with every kind of content, built from fixed values.
enum SampleRecords {
    static func allowed(path: String = "/v1/items?page=2&token=secret") -> LoadRecord {
        var record = LoadRecord(
            time: 1_770_091_506_789, recording: "nightly",
            client: RecordedClient(
                address: "127.0.0.1:50123", label: nil, userAgent: "Demo/1", loader: .app, os: "ios26"),
            load: RecordedRequest(
                method: "GET", path: path, target: LoadTarget(scheme: .https, host: "api.lab.test", port: 443),
                wireProtocol: .http2),
            policy: RecordedPolicy(
                source: "Info.plist", bundleID: "test.lab.demo", os: "ios26",
                basis: RulingBasis(step: .secureDefault)),
            verdict: .allowed)
        record.id = "01KGH000000000000000000000"
        record.origin = RecordedOrigin(address: "192.0.2.7:443", facts: facts)
        record.status = 200
        record.bytesReceived = 1234
        record.timing.connect = 1500
        record.timing.handshake = 20_007
        record.timing.total = 45_678
        return record
    }

    static func blocked() -> LoadRecord {
        var record = LoadRecord(
            time: 0, recording: "nightly",
            client: RecordedClient(
                address: "127.0.0.1:50124", label: "phone", userAgent: nil, loader: .app, os: "ios26"),
            load: RecordedRequest(
                method: "POST", path: "/", target: LoadTarget(scheme: .https, host: "rsa-kx.lab.test", port: 8443),
                wireProtocol: .http1),
            policy: RecordedPolicy(
                source: nil, bundleID: nil, os: "ios26",
                basis: RulingBasis(step: .exception, keyPath: keyPath, entry: "lab.test", isBuiltIn: false),
                line: 14),
            verdict: .blocked)
        record.refusal = .untrustedLeaf
        record.shown = ShownError(style: .untrustedLeaf, code: -1200, streamErrorCode: -9802)
        record.device = device
        record.origin = RecordedOrigin(address: nil, facts: nil)
        record.diagnosis = diagnosis
        record.via = "proxy.test:3128"
        record.removed = ["alt-svc h3"]
        return record
    }

    static let device = RecordedDevice(
        .refused, how: "closed", confidence: .observed,
        facts: DeviceFacts(
            code: -1200, streamCode: -9802, ruling: DeviceRuling(strength: 1, tls: 8), systemTrust: -9802,
            tls: DeviceTLS(version: "1.2", isResumed: false)),
        place: LogPosition(log: "phone.txt", line: 7, task: "<A>.<1>", app: "Demo", system: "ios26"),
        lines: ["Connection 1: TLS Trust encountered error 3:-9802"])

    static let keyPath = "NSAppTransportSecurity.NSExceptionDomains.lab.test"

    static var facts: HandshakeFacts {
        var leaf = CertificateFacts()
        leaf.subject = "CN=api.lab.test"
        leaf.issuer = "CN=Lab \"Root\""
        leaf.serial = "0a"
        leaf.keyType = .ec
        leaf.keyBits = 256
        leaf.signature = "ecdsa-with-SHA256"
        leaf.notBefore = 951_782_400
        leaf.notAfter = 253_402_300_799
        leaf.sha256 = "ab12"
        leaf.spkiSHA256 = "q80="
        var facts = HandshakeFacts(
            version: .tls13, suite: CipherSuite(code: 0x1301, name: "TLS_AES_128_GCM_SHA256"), group: "X25519",
            alpn: "h2", served: [leaf], path: [leaf], anchor: .system, scts: SCTCounts(embedded: 2))
        facts.clientCertificate = .sent
        facts.sctReview = SCTReview(
            counted: Array(repeating: CountedSCT(source: .embedded, time: 0), count: 2), refused: [.unknownLog])
        facts.staple = StapledAnswer(.good)
        return facts
    }

    static var diagnosis: RecordedDiagnosis {
        let finding = Finding(
            rule: .forwardSecrecy, title: "Forward secrecy", keyPath: keyPath, expected: "ECDHE", observed: "RSA",
            confidence: .documented, source: "somewhere")
        let apple = AppleError(
            domain: "NSURLErrorDomain", code: -1200, constant: "NSURLErrorSecureConnectionFailed", message: "TLS",
            stream: AppleError.Stream(domain: 3, code: -9858, constant: "errSSLHandshakeFail", detail: -9882),
            log: ["line one", "line two"], confidence: .observed)
        let fix = ExceptionFix(
            domain: "lab.test",
            settings: [
                .init("NSExceptionRequiresForwardSecrecy", .flag(false)),
                .init("NSExceptionMinimumTLSVersion", .text("TLSv1.2")),
            ])
        return RecordedDiagnosis(
            findings: [finding], apple: apple, remedy: Remedy(server: ["Offer ECDHE suites."], exception: fix))
    }
}
