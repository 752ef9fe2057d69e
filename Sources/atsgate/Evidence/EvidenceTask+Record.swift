import ATSPolicy
import Evidence
import Records
import Text

extension EvidenceTask {
    /// The target of the load; nil if the log does not show it.
    var target: LoadTarget? {
        guard let host, let scheme = scheme.flatMap({ LoadTarget.Scheme(rawValue: $0) }) else { return nil }
        return LoadTarget(scheme: scheme, host: host, port: port ?? scheme.defaultPort)
    }

    /// The verdict; nil if the log does not show the end of the load.
    var verdict: Verdict? {
        switch outcome {
        case .allowed: .allowed
        case .blocked: .blocked
        case .failed: .failed
        case .unknown: nil
        }
    }

    /// The part of the URL after the authority.
    var path: String {
        url?.pathOfURL ?? "/"
    }

    private var port: Int? {
        guard let rest = afterScheme else { return nil }
        let authority = rest.prefix { !"/?#".contains($0) }
        let digits = String(authority.reversed().prefix { $0.isASCII && $0.isNumber }.reversed())
        guard authority.dropLast(digits.count).last == ":", let port = Int(digits), (1...65_535).contains(port) else {
            return nil
        }
        return port
    }

    private var afterScheme: Substring? {
        guard let url, let mark = url.firstRange(of: "://") else { return nil }
        return url[mark.upperBound...]
    }

    /// The device's result, as the log shows it.
    var recordedDevice: RecordedDevice {
        let outcomes: [Outcome: RecordedDevice.Outcome] = [.allowed: .accepted, .blocked: .refused, .failed: .failed]
        return RecordedDevice(
            outcomes[outcome] ?? .unknown, how: "its log", confidence: .observed,
            facts: DeviceFacts(
                code: code, streamCode: streamCode, ruling: ruling.map { DeviceRuling($0) }, systemTrust: systemTrust,
                tls: tls.map {
                    DeviceTLS(
                        version: $0.version, cipher: $0.cipher, group: $0.group, alpn: $0.alpn, isResumed: $0.isResumed)
                }),
            place: LogPosition(log: log, line: line, task: task, app: app, system: system), isRedacted: isRedacted,
            proxied: proxied, lines: lines)
    }

    /// The error, with its rule if the number identifies one; most numbers have several causes.
    var diagnosis: RecordedDiagnosis? {
        let isCleartext = outcome == .blocked && scheme == "http"
        guard outcome == .blocked || outcome == .failed, let code = code ?? (isCleartext ? cleartextCode : nil) else {
            return nil
        }
        let domain = domain ?? "NSURLErrorDomain"
        let named = domain == "NSURLErrorDomain" ? Self.numbers[code] : nil
        let apple = AppleError(
            domain: domain, code: code, constant: named?.constant ?? "", message: "",
            stream: AppleError.Stream(domain: streamDomain, code: streamCode), confidence: .observed)
        let trust = named?.rule == nil ? trustRule : nil
        let isOfServer = Self.codesOfServers.contains(code) && domain == "NSURLErrorDomain"
        let next = "Test the server: atsgate probe \((host ?? "HOST").shellWord)."
        let remedy = isOfServer ? Remedy(server: [next]) : nil
        guard let rule = named?.rule ?? trust?.rule else {
            return RecordedDiagnosis(findings: [], apple: apple, remedy: remedy)
        }
        let checks = failedChecks.map(\.words).joined(separator: ", ")
        let finding = Finding(
            rule: rule, title: named?.title ?? RuleBook.standard.rule(rule)?.title ?? "", keyPath: nil,
            expected: "a load that succeeds on the device",
            observed:
                "the device's error \(apple.codes)\(checks.isEmpty ? "" : " (\(checks))"), in \(log) at line \(line)",
            confidence: trust?.confidence ?? .observed,
            source: "Apple, NSURLError.h; docs/evidence.md")
        return RecordedDiagnosis(findings: [finding], apple: apple, remedy: remedy)
    }

    /// Codes whose cause a test of the server shows.
    private static let codesOfServers = -1206 ... -1200

    private struct Number {
        let constant: String
        var rule: RuleID?
        /// Of the rule, if the rule book has none.
        var title: String?
    }

    /// Source: Apple, NSURLError.h.
    private static let numbers: [Int: Number] = [
        -1022: Number(
            constant: "NSURLErrorAppTransportSecurityRequiresSecureConnection", rule: .cleartextLoad,
            title: "Cleartext load blocked by the device"),
        -1001: Number(constant: "NSURLErrorTimedOut", rule: .netTimeout, title: "Timed out on the device"),
        -1003: Number(constant: "NSURLErrorCannotFindHost", rule: .netName, title: "Name not found by the device"),
        -1004: Number(
            constant: "NSURLErrorCannotConnectToHost", rule: .netRefused, title: "Server not reached by the device"),
        -1005: Number(
            constant: "NSURLErrorNetworkConnectionLost", rule: .netReset, title: "Connection lost on the device"),
        -1006: Number(constant: "NSURLErrorDNSLookupFailed", rule: .netName, title: "Name not found by the device"),
        -999: Number(constant: "NSURLErrorCancelled"),
        -1009: Number(constant: "NSURLErrorNotConnectedToInternet"),
        -1200: Number(constant: "NSURLErrorSecureConnectionFailed"),
        -1201: Number(constant: "NSURLErrorServerCertificateHasBadDate"),
        -1202: Number(constant: "NSURLErrorServerCertificateUntrusted"),
        -1203: Number(constant: "NSURLErrorServerCertificateHasUnknownRoot"),
        -1204: Number(constant: "NSURLErrorServerCertificateNotYetValid"),
        -1205: Number(constant: "NSURLErrorClientCertificateRejected"),
        -1206: Number(constant: "NSURLErrorClientCertificateRequired"),
    ]
}

extension String {
    /// The part of a URL after the authority.
    var pathOfURL: String {
        guard let mark = firstRange(of: "://") else { return "/" }
        let rest = self[mark.upperBound...]
        guard let slash = rest.firstIndex(where: { "/?#".contains($0) }) else { return "/" }
        return rest[slash] == "/" ? String(rest[slash...]) : "/" + rest[slash...]
    }
}

extension DeviceRuling {
    fileprivate init(_ printed: PrintedRuling) {
        self.init(
            strength: printed["strength"], tls: printed["tls"], ct: printed["ct"], sub: printed["sub"],
            sig: printed["sig"], ciphers: printed["ciphers"], bundle: printed["bundle"], builtin: printed["builtin"])
    }
}

private let cleartextCode = -1022

extension EvidenceTask {
    /// The trust rule that a device's failure breaks, by the checks that its lines name, else by its numbers; nil for
    /// numbers with several causes.
    var trustRule: (rule: RuleID, confidence: Confidence)? {
        guard code.map({ Self.trustCodes.contains($0) }) ?? true else { return nil }
        if let rule = Self.checks.first(where: { check in failedChecks.contains { check.fits($0) } })?.rule {
            return (rule, .observed)
        }
        guard domain ?? urlDomain == urlDomain, let code else { return nil }
        if let rule = Self.dated[code] { return (rule, .documented) }
        guard code == -1202 else { return nil }
        return streamCode.flatMap { Self.streamed[$0] }.map { ($0, .source) } ?? (.untrustedRoot, .inferred)
    }

    /// A check of the system, and the rule about the same.
    private struct Check {
        /// nil for any certificate.
        var place: String?
        let names: Set<String>
        let rule: RuleID

        func fits(_ check: FailedCheck) -> Bool { names.contains(check.name) && (place ?? check.place) == check.place }
    }

    /// In the order of the rules (docs/law/trust.md#order-of-trust-failures). Source: Security, SecPolicyChecks.list;
    /// docs/law/trust.md#words-of-a-trust-evaluation.
    private static let checks = [
        Check(names: ["MissingIntermediate"], rule: .incompleteChain),
        Check(place: "leaf", names: ["AnchorTrusted"], rule: .selfSigned),
        Check(names: ["AnchorTrusted"], rule: .untrustedRoot),
        Check(names: ["TemporalValidity", "ValidLeaf", "ValidIntermediates", "ValidRoot"], rule: .expired),
        Check(names: ["SSLHostname"], rule: .hostName),
        Check(names: ["ServerAuthEKU", "ExtendedKeyUsage"], rule: .serverAuthEKU),
        Check(names: ["KeySize"], rule: .trustKeySize),
        Check(names: ["SignatureHashAlgorithms"], rule: .trustSignatureHash),
        Check(names: ["ValidityPeriodMaximums"], rule: .validityPeriod),
        Check(names: ["SystemTrustedCTRequired"], rule: .certificateTransparency),
        Check(names: ["LeafSPKISHA256", "CAspkiSHA256"], rule: .pinnedIdentity),
    ]

    private static let trustCodes = -1204 ... -1200
    /// Source: Apple, NSURLError.h.
    private static let dated: [Int: RuleID] = [-1201: .expired, -1203: .untrustedRoot, -1204: .notYetValid]
    /// Source: Security, SecureTransport.h; docs/law/errors.md#stream-codes.
    private static let streamed: [Int: RuleID] = [
        -9812: .untrustedRoot, -9813: .untrustedRoot, -9814: .expired, -9815: .notYetValid, -9843: .hostName,
    ]
}

private let urlDomain = "NSURLErrorDomain"
