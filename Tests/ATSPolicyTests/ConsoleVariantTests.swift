import ATSPolicy
import Testing

/// Variants of log lines, shown on request, with one golden each. Source: docs/console-lines.md#variants.
@Suite struct ConsoleVariantTests {
    private static let text =
        "The resource could not be loaded because the App Transport Security policy requires the use of a secure "
        + "connection."
    private static let old =
        "App Transport Security has blocked a cleartext HTTP (http://) resource load since it is insecure. Temporary "
        + "exceptions can be configured via your app's Info.plist file."

    private func shown(
        _ failure: LoadFailure, _ os: String, _ variants: Set<ConsoleVariant>,
        _ facts: HandshakeFacts = RuleCases.facts
    ) throws -> (lines: [String], confidence: Confidence) {
        let error = AppleErrorTable.error(
            for: failure, target: LoadTarget(scheme: .http, host: "a.example.com", port: 80),
            urlText: "http://a.example.com/", profile: try #require(OSProfile.named(os)), facts: facts,
            identifiers: LogIdentifiers(task: "U", taskIndex: 1, connection: 2),
            readings: AppleReadings(variants: variants))
        return (
            error.log.map { $0.hasPrefix("Error ") ? $0 : $0.split(separator: " UserInfo=")[0] + "" }, error.confidence
        )
    }

    @Test(
        "an app that uses NSURLConnection logs no task (public logs of 11 to 15)",
        arguments: [("ios11", Confidence.observed), ("ios12.1", .observed), ("ios14", .inferred), ("ios15", .inferred)])
    func cleartext(os: String, confidence: Confidence) throws {
        let error = try shown(.cleartext, os, [.connection])
        #expect(error.lines == [Self.old, "NSURLConnection finished with error - code -1022"])
        #expect(error.confidence == confidence)
    }

    @Test("NSURLConnection logs no task for a lax trust failure either")
    func laxTrust() throws {
        let failure = LoadFailure.trust(.untrustedRoot, isStrict: false)
        let last = "NSURLConnection finished with error - code -1202"
        #expect(
            try shown(failure, "ios11", [.connection]).lines == [
                "TIC SSL Trust Error [2:0x...]: 3:0",
                "NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9813)", last,
            ])
        #expect(try shown(failure, "ios12", [.connection]).lines == [last])
        #expect(
            try shown(failure, "ios15", [.connection]).lines == [
                "Connection 2: default TLS Trust evaluation failed(-9813)",
                "Connection 2: TLS Trust encountered error 3:-9813", "Connection 2: encountered error(3:-9813)", last,
            ])
    }

    @Test("with the strictTrust variant the first line is missing, on 15 only (developer forums 703283)")
    func strictTrust() throws {
        let failure = LoadFailure.trust(.untrustedRoot, isStrict: true)
        let error = try shown(failure, "ios15", [.strictTrust])
        #expect(error.lines.first == "Connection 2: strict TLS Trust evaluation failed(-9802)")
        #expect(!error.lines.contains { $0.contains("system") } && error.lines.count == 5)
        #expect(error.confidence == .observedOnce)
    }

    private static let evaluated = "System Trust Evaluation yielded status(-9802)"
    private static let cancelled = "reporting state cancelled error ATS violation"

    @Test(
        "the unified log of 26 and 27 adds the failed check and the result; 27 also names the server",
        arguments: [
            (RuleID.selfSigned, "Trust evaluate failure: [leaf AnchorTrusted]"),
            (.hostName, "Trust evaluate failure: [leaf SSLHostname]"),
            (.untrustedRoot, "Trust evaluate failure: [root AnchorTrusted]"), (.expired, nil),
        ] as [(RuleID, String?)])
    func unifiedLog(rule: RuleID, first: String?) throws {
        let violation =
            "Error [ATS Violation]: ATS certificate trust requirement not satisfied for server: a.example.com"
        for (os, violations) in [("ios26", []), ("macos26.4", []), ("ios27", [violation])] {
            let usual = try shown(.trust(rule, isStrict: true), os, []).lines
            let error = try shown(.trust(rule, isStrict: true), os, [.unifiedLog])
            let before = [first, Self.evaluated].compactMap(\.self)
            #expect(error.lines == before + usual + violations + [Self.cancelled], "\(os)")
            #expect(error.confidence == (first == nil ? .inferred : .observedOnce))
        }
    }

    @Test("before 26 only the result of the system's evaluation is added (inferred)", arguments: ["ios13", "macos15"])
    func earlierUnifiedLog(os: String) throws {
        let usual = try shown(.trust(.selfSigned, isStrict: true), os, []).lines
        let error = try shown(.trust(.selfSigned, isStrict: true), os, [.unifiedLog])
        #expect(error.lines == [Self.evaluated] + usual && error.confidence == .inferred)
    }

    @Test(
        "a weak leaf has its own lines, on 26 without the host (blacktop/ipsw-diffs, 26.5 to 27.0)",
        arguments: [
            (RuleID.keySize, 1_024, "rsa", "ATS violation: RSA key size 1024 less than minimum bound 2048"),
            (.keySize, 192, "ec", "ATS violation: EC key size 192 less than minimum bound 256"),
            (
                .signatureHash, 160, "hash",
                "ATS violation: Leaf certificate hash algorithm (...) is not at least SHA-256"
            ),
        ])
    func weakLeaf(rule: RuleID, bits: Int, kind: String, old: String) throws {
        var facts = RuleCases.facts
        switch kind {
        case "hash": facts.path[0].signatureHashBits = bits
        case let key:
            facts.path[0].keyType = try #require(CertificateFacts.KeyType(rawValue: key))
            facts.path[0].keyBits = bits
        }
        let new = [
            "rsa": "RSA key size 1024 bits is less than minimum 2048 bits",
            "ec": "ECDSA key size 192 bits is less than minimum 256 bits",
            "hash": "Leaf certificate hash algorithm (...) is not at least SHA-256",
        ].mapValues { "Error [ATS violation]: \($0) for server: a.example.com" }
        for (os, line) in [("ios26", old), ("ios27", try #require(new[kind]))] {
            let lines = try shown(.trust(rule, isStrict: true), os, [.unifiedLog], facts).lines
            #expect(lines.suffix(2) == [line, Self.cancelled], "\(lines)")
        }
        // A weak issuer is found by the trust evaluation, which has no line for it.
        #expect(try shown(.trust(rule, isStrict: true), "ios26", [.unifiedLog]).lines.last == Self.cancelled)
    }

    @Test("a NIAP package logs the missing requirement; from 27 on with the host")
    func package() throws {
        let failure = LoadFailure.handshake(.library(0), rule: .niap)
        var facts = RuleCases.facts
        facts.version = .tls12
        facts.usesExtendedMasterSecret = false
        let missing =
            "Error [ATS FCPv2.1 violation]: TLS 1.2 negotiated without extended master secret (EMS) for server: "
            + "a.example.com"
        #expect(try shown(failure, "ios27", [.unifiedLog], facts).lines.first == missing)
        #expect(try shown(failure, "ios26.4", [.unifiedLog], facts) == shown(failure, "ios26.4", [], facts))
        facts.usesExtendedMasterSecret = true
        facts.path[0].signature = "ED25519"
        let signed =
            "Error [ATS FCPv2.1 violation]: Server certificate signed using signature algorithm ... not advertised in "
            + "client hello for server: a.example.com"
        #expect(try shown(failure, "ios27", [.unifiedLog], facts).lines.first == signed)
        #expect(
            try shown(failure, "ios26.4", [.unifiedLog], facts).lines.first
                == "FCS TLS v2 compliance error: leaf cert signature algorithm not in offered signature algorithms")
    }

    @Test("a web view of 9 appends the whole error description (bowser 54)")
    func webView() throws {
        let error = try shown(.cleartext, "ios9", [.webView])
        #expect(
            error.lines == [
                Self.old,
                """
                Error Domain=NSURLErrorDomain Code=-1022 "\(Self.text)" UserInfo={NSUnderlyingError=0x... {Error \
                Domain=kCFErrorDomainCFNetwork Code=-1022 "\(Self.text)"}, \
                NSErrorFailingURLStringKey=http://a.example.com/, NSErrorFailingURLKey=http://a.example.com/, \
                NSLocalizedDescription=\(Self.text)}
                """,
            ])
        #expect(error.confidence == .observedOnce)
    }

    @Test(
        "a variant changes nothing on releases outside its range",
        arguments: [
            "ios9", "ios10", "ios11", "ios12.2", "ios14", "macos12", "ios16", "macos15", "ios26", "ios26.4", "ios27",
        ])
    func elsewhere(os: String) throws {
        let generation = try #require(OSProfile.named(os)).release.generation.major
        let systems: [ConsoleVariant: ClosedRange<Int>] = [
            .connection: 11...15, .strictTrust: 15...15, .unifiedLog: 13...27, .webView: 9...9,
        ]
        for variant in ConsoleVariant.allCases {
            var changed = false
            for failure in [
                LoadFailure.cleartext, .trust(.untrustedRoot, isStrict: true), .trust(.untrustedRoot, isStrict: false),
                .handshake(.alertReceived(40), rule: nil), .network(.refused),
            ] {
                changed = try changed || shown(failure, os, [variant]) != shown(failure, os, [])
            }
            #expect(changed == systems[variant]?.contains(generation))
        }
    }
}
