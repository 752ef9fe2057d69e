extension RuleID {
    public static let pinnedIdentity = RuleID("ats.pinned-identity", .ats)
}

extension Rule {
    /// The pins of the dictionary, compared with the origin's real chain. They apply in addition to ordinary trust,
    /// regardless of the anchor. Source: Apple, NSPinnedDomains; docs/law/pinning.md#evaluation.
    static let pinnedIdentity = Rule(
        .pinnedIdentity, "Public key not pinned in the dictionary",
        source: "Apple, NSPinnedDomains; Security, SecPolicy.c; docs/law/pinning.md#evaluation", confidence: .source,
        keyPath: { handshake in
            guard let pins = handshake.demands?.pins, let entry = pins.entries.first else { return nil }
            let list = leafFails(pins, handshake) ? ATSKey.leafPins : ATSKey.caPins
            return "\(ATSKey.root).\(ATSKey.pinnedDomains).\(entry).\(list)"
        },
        consequence: .identity(
            .trust,
            whyNoKeyHelps: "pins apply in addition to every exception, and the app's own code cannot override them.",
            remedy: { _, _ in
                "Serve a certificate with a pinned key, or update the pins in the app's \(ATSKey.pinnedDomains)."
            }),
        check: { handshake in
            guard let pins = handshake.demands?.pins else { return .notInForce }
            guard handshake.leaf != nil else { return .notApplicable }
            if leafFails(pins, handshake) { return leafAnswer(pins, handshake) }
            guard let pinned = pins.authority else { return .pass }
            let authorities = handshake.pinnedPath.dropFirst()
            guard !authorities.contains(where: { pinned.contains($0.spkiSHA256) }) else { return .pass }
            return .fail(
                expected: "a CA certificate with \(Self.words(pinned))",
                observed: authorities.isEmpty
                    ? "a chain of one certificate, which no CA pin can match"
                    : "the CAs " + authorities.map { "\($0.quotedName) (\($0.spkiSHA256))" }.joined(separator: ", "))
        },
        examples: { pinExamples })

    /// The list of leaf pins applies to certificate 0 only.
    private static func leafFails(_ pins: PinDemands, _ handshake: HandshakeCase) -> Bool {
        guard let pinned = pins.leaf, let leaf = handshake.leaf else { return false }
        return !pinned.contains(leaf.spkiSHA256)
    }

    private static func leafAnswer(_ pins: PinDemands, _ handshake: HandshakeCase) -> RuleAnswer {
        let leaf = handshake.leaf.map { "leaf \($0.quotedName) with \($0.spkiSHA256)" } ?? "no leaf"
        return .fail(expected: "a leaf with \(words(pins.leaf ?? []))", observed: leaf)
    }

    private static func words(_ pinned: Set<String>) -> String {
        switch pinned.count {
        case 0: "a key from an empty list, which no key can match"
        case 1: "the pinned key \(pinned.first?.singleLine ?? "")"
        default: "one of \(pinned.count) pinned keys"
        }
    }

    private static var pinExamples: [RuleExample] {
        func pinned(
            _ title: String, _ expected: RuleOutcome, leaf: Set<String>? = nil, authority: Set<String>? = nil,
            _ change: @escaping (inout HandshakeCase) -> Void = { _ in }
        ) -> RuleExample {
            RuleExample(title, expected) {
                $0.demands?.pins = PinDemands(leaf: leaf, authority: authority, entries: ["example.com"])
                change(&$0)
            }
        }
        return [
            pinned("another leaf", .fail, leaf: ["other"]),
            pinned("the leaf", .pass, leaf: ["api.example.com"]),
            pinned("one of two leaves", .pass, leaf: ["other", "api.example.com"]),
            pinned("the root", .pass, authority: ["Example Root"]),
            pinned("the intermediate", .pass, authority: ["Example CA 1"]),
            pinned("the leaf's key in the CA list", .fail, authority: ["api.example.com"]),
            pinned("the root's key in the leaf list", .fail, leaf: ["Example Root"]),
            pinned("both lists match", .pass, leaf: ["api.example.com"], authority: ["Example CA 1"]),
            pinned("only the leaf list matches", .fail, leaf: ["api.example.com"], authority: ["other"]),
            pinned("only the CA list matches", .fail, leaf: ["other"], authority: ["Example CA 1"]),
            pinned("an empty list", .fail, leaf: []),
            pinned("a chain of one certificate and a CA pin", .fail, authority: ["api.example.com"]) {
                $0.serveSelfSigned()
            },
            pinned("the anchor was installed by the user", .fail, leaf: ["other"]) { $0.facts.anchor = .user },
            pinned("no certificate was seen", .notApplicable, leaf: ["other"]) {
                $0.facts.path = []
                $0.facts.served = []
            },
            RuleExample("no key is pinned", .notInForce),
            RuleExample("ATS does not apply, so its pins do not either", .notInForce) { $0.demands = nil },
        ]
    }
}

extension HandshakeCase {
    /// The chain to compare with pins: the evaluated path, or the leaf alone if no path could be built. Other
    /// certificates that the origin sent prove nothing.
    var pinnedPath: [CertificateFacts] { facts.path.isEmpty ? Array(facts.served.prefix(1)) : facts.path }
}
