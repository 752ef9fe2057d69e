/// The choice among several paths, as in Apple's path builder: the first path that breaks no rule, else the one with the
/// highest score. Source: Security, SecTrustServer.c, SecPathBuilderAccept and SecPathBuilderReject;
/// SecCertificateServer.c, SecCertificatePathVCScore; docs/law/trust.md#several-paths.
extension HandshakeCase {
    /// Puts the path that a device uses into the facts, and the one that was there into the other paths.
    mutating func choosePath() {
        let all = [CertificatePath(facts.path, anchor: facts.anchor, faults: facts.faults)] + facts.otherPaths
        var trial = self
        trial.facts.otherPaths = []
        let scores = all.map { path -> Int in
            trial.take(path)
            let isAccepted = !RuleBook.standard.findings(on: trial).contains { $0.rule.isAboutCertificate }
            return trial.score + (isAccepted ? Self.acceptance : 0)
        }
        // The first of the best: later paths replace it only with a higher score.
        guard let best = scores.max(), let place = scores.firstIndex(of: best), place > 0 else { return }
        take(all[place])
        facts.otherPaths = all.indices.filter { $0 != place }.map { all[$0] }
    }

    private mutating func take(_ path: CertificatePath) {
        facts.path = path.certificates
        facts.anchor = path.anchor
        facts.faults = path.faults
    }

    /// The published numbers. An anchor that the emulated release lacks does not count.
    private var score: Int {
        let path = facts.path
        var score = 0
        let isKnown = Rule.unknownRoot.answer(on: self).outcome != .fail
        let isAnchored = (facts.anchor == .system || facts.anchor == .user) && isKnown
        if isAnchored { score += 10_000 }
        score += path.last?.isSelfIssued == true ? 1_000 - path.count : path.count
        if path.allSatisfy({ $0.notBefore <= now && now <= $0.notAfter }) { score += 100 }
        if !path.dropLast(isAnchored ? 1 : 0).contains(where: { ($0.signatureHashBits ?? 256) <= 160 }) { score += 10 }
        if path.allSatisfy({ !$0.isBelow(rsa: 2_048, ec: 224) }) { score += 10 }
        return score
    }

    /// Points for a path that every rule accepts: ACCEPT_PATH_SCORE.
    private static let acceptance = 10_000_000
}

extension CertificateFacts {
    /// True if the key is shorter than these bits, or of a type without a minimum.
    func isBelow(rsa: Int, ec: Int) -> Bool {
        switch keyType {
        case .rsa: keyBits < rsa
        case .ec: keyBits < ec
        case .dsa: true
        // Edwards keys: docs/law/trust.md#key-size. A type that the engine cannot name is not called weak.
        case .ed25519, .ed448, .other: false
        }
    }
}

extension RuleID {
    /// True for a rule on certificates, which another path may meet.
    var isAboutCertificate: Bool {
        switch consequence?.breach {
        case .certificate, .identity: true
        case .handshake, nil: false
        }
    }
}
