extension RuleID {
    public static let invalidChain = RuleID("trust.invalid-chain", .trust)
}

extension Rule {
    /// A path to an anchor meets the rules of X.509 on CAs, names and extensions that the release checks.
    /// Source: Security, SecPolicyServer.c, SecPVCParentCertificateChecks and
    /// SecPolicyCheckBasicCertificateProcessing, over its tags; docs/law/trust.md#several-paths.
    static let invalidChain = Rule(
        .invalidChain, "Certificate chain against X.509",
        source: "Security, SecPolicyServer.c; docs/law/trust.md#several-paths", confidence: .source,
        consequence: .certificate(
            .trust,
            remedy: { _, _ in
                "Serve a chain whose CAs may issue the certificate: correct the CA certificate that the finding names, "
                    + "or serve another chain."
            }),
        check: { handshake in
            let fault = handshake.facts.faults.first { $0.isChecked(on: handshake) }
            guard let fault, handshake.facts.path.indices.contains(fault.place) else { return .pass }
            let title = handshake.title(of: fault.place, handshake.facts.path[fault.place])
            return .fail(expected: fault.kind.expected, observed: "\(title) \(fault.kind.observed)")
        },
        examples: {
            func example(
                _ title: String, _ expected: RuleOutcome, _ kind: PathFault.Kind, at place: Int, on system: String
            ) -> RuleExample {
                RuleExample(title, expected) {
                    $0.profile = OSProfile.named(system) ?? .iOS26
                    $0.facts.faults = [PathFault(kind, at: place)]
                }
            }
            return [
                example("a name that a CA excludes", .fail, .nameConstraints, at: 0, on: "ios9"),
                example("a name that the root excludes, on iOS 13", .fail, .rootNameConstraints, at: 0, on: "ios13"),
                example("the same on iOS 12", .pass, .rootNameConstraints, at: 0, on: "ios12.5"),
                example("a CA below its limit of length", .fail, .pathLength, at: 1, on: "ios9"),
                example("a root's limit of length, on iOS 15", .fail, .rootPathLength, at: 1, on: "ios15"),
                example("the same on iOS 14", .pass, .rootPathLength, at: 1, on: "ios14.8"),
                example("an intermediate without the rights of a CA", .fail, .notCA, at: 1, on: "ios9"),
                example("a root without basic constraints, on iOS 14", .fail, .noBasicConstraints, at: 2, on: "ios14"),
                example("the same on iOS 13", .pass, .noBasicConstraints, at: 2, on: "ios13.7"),
                example("an old intermediate, on iOS 11", .fail, .oldVersion, at: 1, on: "ios11"),
                example("the same on iOS 10", .pass, .oldVersion, at: 1, on: "ios10"),
                example("a malformed extension, on iOS 15", .fail, .malformedExtension, at: 0, on: "ios15"),
                example("the same on iOS 14", .pass, .malformedExtension, at: 0, on: "ios14"),
                example("an empty subject", .fail, .emptySubject, at: 0, on: "ios9"),
                RuleExample("no fault", .pass),
            ]
        })
}

extension PathFault {
    /// True if the release checks it. The tags of Security are 58286.1.32 for 11, 59306.11.20 for 13, 59754.41.1 for 14
    /// and 60157.40.30 for 15.
    fileprivate func isChecked(on handshake: HandshakeCase) -> Bool {
        let profile = handshake.profile
        let isAnchor = place == handshake.facts.path.count - 1 && place > 0
        switch kind {
        case .nameConstraints, .pathLength, .criticalExtension, .emptySubject: return true
        // Up to 13, anchors are exempt.
        case .noBasicConstraints, .notCA, .keyUsage: return !isAnchor || profile.hasRules(of: OSVersion(14))
        case .oldVersion: return profile.hasRules(of: OSVersion(11))
        case .rootNameConstraints: return profile.hasRules(of: OSVersion(13))
        case .rootPathLength, .malformedExtension: return profile.hasRules(of: OSVersion(15))
        }
    }
}

extension PathFault.Kind {
    fileprivate var expected: String {
        switch self {
        case .nameConstraints, .rootNameConstraints: "names that the name constraints of its CAs permit"
        case .pathLength, .rootPathLength: "no more CAs than the path length of a CA allows"
        case .noBasicConstraints, .notCA: "issuers whose basic constraints make them a CA"
        case .keyUsage: "issuers whose key usage includes keyCertSign"
        case .oldVersion: "intermediates of version 3"
        case .criticalExtension: "no critical extension that the system does not know"
        case .malformedExtension: "extensions that can be read and occur once"
        case .emptySubject: "a subject, or a critical subject alternative name"
        }
    }

    fileprivate var observed: String {
        switch self {
        case .nameConstraints: "has a name that a CA above it does not permit"
        case .rootNameConstraints: "has a name that the root does not permit"
        case .pathLength, .rootPathLength: "is one CA too many"
        case .noBasicConstraints: "has no basic constraints"
        case .notCA: "is not a CA"
        case .keyUsage: "may not sign certificates"
        case .oldVersion: "has version 1 or 2"
        case .criticalExtension: "has a critical extension of an unknown kind"
        case .malformedExtension: "has an extension that cannot be read or occurs twice"
        case .emptySubject: "has an empty subject"
        }
    }
}
