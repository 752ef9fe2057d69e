import ATSPolicy
import Records

/// Records with names in every place that can have one.
enum NamedRecords {
    static let pin = "r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="

    /// A record that contains its host and its path in every possible place.
    static func record() -> LoadRecord {
        var leaf = CertificateFacts()
        (leaf.subject, leaf.issuer) = ("CN=*.secret.test,O=Acme", "CN=api.secret.test")
        (leaf.commonName, leaf.dnsNames) = ("api.secret.test", ["api.secret.test", "*.secret.test", "other.test"])
        (leaf.serial, leaf.sha256) = ("0a1b2c3d", String(repeating: "5f", count: 32))
        leaf.spkiSHA256 = pin
        let facts = HandshakeFacts(
            version: .tls13, suite: CipherSuite(code: 0x1301, name: "TLS_AES_128_GCM_SHA256"), group: nil, alpn: nil,
            served: [leaf], path: [leaf], anchor: .system)
        var record = LoadRecord(
            time: 0, recording: "nightly",
            client: RecordedClient(address: "127.0.0.1:1", label: nil, userAgent: "Demo/1", loader: .app, os: "ios26"),
            load: RecordedRequest(
                method: "GET", path: "/users/alice/orders?page=2",
                target: LoadTarget(scheme: .https, host: "api.secret.test", port: 8443), wireProtocol: .http1,
                redirectedFrom: "https://api.secret.test/users/bob/?a=1"),
            policy: RecordedPolicy(
                source: "Info.plist", bundleID: nil, os: "ios26",
                basis: RulingBasis(
                    step: .exception,
                    keyPath:
                        "NSAppTransportSecurity.NSExceptionDomains.api.secret.test.NSExceptionRequiresForwardSecrecy",
                    entry: "api.secret.test")),
            verdict: .blocked)
        record.origin = RecordedOrigin(address: "192.0.2.7:443", facts: facts)
        record.via = "api.secret.test:3128"
        let finding = Finding(
            rule: .hostName, title: "Host name", keyPath: "NSAppTransportSecurity.NSExceptionDomains.api.secret.test",
            expected: "a subjectAltName for api.secret.test.", observed: "“api.secret.test” /users/alice/orders?page=2",
            confidence: .documented, source: "somewhere")
        let apple = AppleError(
            domain: "NSURLErrorDomain", code: -1200, constant: "X", message: "api.secret.test:8443",
            stream: AppleError.Stream(domain: 3, code: -9802),
            log: ["url https://api.secret.test:8443/users/alice/orders?page=2, end"], confidence: .observed)
        record.diagnosis = RecordedDiagnosis(
            findings: [finding], apple: apple,
            remedy: Remedy(
                server: ["Serve a certificate whose subjectAltName has api.secret.test."],
                exception: ExceptionFix(domain: "api.secret.test", settings: [])))
        RedactionRules().apply(to: &record)
        return record
    }

    /// A record with every text set.
    static func full() -> LoadRecord {
        var record = record()
        record.client = RecordedClient(
            address: "192.0.2.9:1", label: "phone", userAgent: "Demo/1", loader: .app, assumed: .curl, os: "ios26",
            osEvidence: "a hello of api.secret.test", osNotes: ["api.secret.test"])
        record.policy = RecordedPolicy(
            source: "Info.plist", bundleID: "test.secret.app", os: "ios26", basis: record.policy.basis, mode: "enforce")
        record.refusal = .alert
        record.shown = ShownError(style: .alert, code: -1200)
        record.device = RecordedDevice(
            .refused, how: "api.secret.test closed", confidence: .observed,
            facts: DeviceFacts(tls: DeviceTLS(version: "1.3")),
            place: LogPosition(log: "secret.txt", line: 1, task: "<A>.<1>", app: "Secret", system: "ios26"),
            proxied: "Secret CA", lines: [#""<cert(0x7f) s: Secret i: Secret CA>","#])
        record.removed = ["alt-svc api.secret.test"]
        return record
    }

    /// Texts that identify no host or user.
    static let harmless = [
        "apple.confidence", "apple.constant", "apple.domain", "client.assumed", "client.loader", "client.os",
        "device.confidence", "device.outcome", "device.system", "device.task", "device.tls.version",
        "findings.confidence", "findings.rule", "findings.source", "findings.title", "id", "load.method",
        "load.protocol", "load.scheme", "origin.chain.keyType", "origin.chain.notAfter", "origin.chain.notBefore",
        "origin.cipherSuite", "origin.tlsVersion", "origin.trust", "policy.mode", "policy.os", "refusal", "shown.style",
        "source", "time", "verdict",
    ]

    /// The fields that ``full()`` lacks: numbers, and texts from a fixed set.
    static let absent = [
        "apple.detailCode", "apple.streamErrorConstant", "client.entrance", "device.code", "device.ruling",
        "device.streamCode", "device.systemTrust", "device.tls.alpn", "device.tls.cipher", "device.tls.group",
        "device.tls.resumed", "id", "origin.alpn", "origin.chain.signature", "origin.clientCertificate",
        "origin.group", "origin.scts.given", "origin.scts.refused", "origin.staple", "policy.line",
        "shown.streamErrorCode", "status", "timing.connectMs", "timing.firstByteMs", "timing.handshakeMs",
    ]
}
