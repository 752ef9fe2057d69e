import ATSPolicy
import Evidence

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
