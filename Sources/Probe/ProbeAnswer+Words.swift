import ATSPolicy
import Foundation
import Records
import Text

extension ProbeAnswer {
    /// Rows about one address: where it is, what it agreed to, its chain as served, and what is missing in it.
    ///
    /// - Parameter isAlone: the verdict is that of the target, and need not be repeated.
    func rows(isAlone: Bool) -> [ProbeRow] {
        var rows = [ProbeRow("address", place(isAlone: isAlone))]
        guard let facts else { return rows }
        rows.append(ProbeRow("agreed", facts.agreement))
        rows += facts.served.enumerated().map { ProbeRow("served \($0 + 1)", $1.line) }
        rows.append(ProbeRow("missing", facts.missing))
        rows.append(ProbeRow("SCTs", facts.timestamps))
        rows.append(ProbeRow("staple", facts.staple.map(\.status.word) ?? "none"))
        if let usesSecret = facts.usesExtendedMasterSecret {
            rows.append(ProbeRow("EMS", usesSecret ? "extended master secret" : HandshakeFacts.noMasterSecret))
        }
        if let lifetime = facts.lifetimeBeyondCARule { rows.append(ProbeRow("lifetime", lifetime)) }
        return rows + clientRows
    }

    /// The chain in two lines, and a request for a certificate.
    var briefRows: [ProbeRow] {
        guard let facts else { return [] }
        var rows: [ProbeRow] = []
        if let leaf = facts.served.first {
            let more = facts.served.count - 1
            let rest = more == 0 ? "" : "; and \(more) more"
            rows.append(ProbeRow("served", leaf.line + rest))
        }
        rows.append(ProbeRow("missing", facts.missing))
        return rows + clientRows
    }

    private var clientRows: [ProbeRow] {
        facts?.clientCertificate.map { [ProbeRow("client", words(for: $0))] } ?? []
    }

    private func words(for use: ClientCertificateUse) -> String {
        let asked = use == .sent ? "a certificate was asked for and sent" : "a certificate is asked for"
        guard isPassed else { return asked }
        if wasSilent { return asked + "; nothing was said after it, so a load may still be turned down" }
        return asked + (use == .sent ? "" : "; the handshake passes without one")
    }

    private func place(isAlone: Bool) -> String {
        var text = origin?.address ?? "not reached"
        if let address = origin?.address { text += address.hasPrefix("[") ? ", IPv6" : ", IPv4" }
        if let connectTicks { text += ", connected in \(connectTicks / 1_000) ms" }
        if let handshakeTicks { text += ", handshake \(handshakeTicks / 1_000) ms" }
        if isError, origin != nil, isAlone { text += ", not reached" }
        guard !isAlone else { return text }
        return text + (isPassed ? ": passes" : ": \(verdict.rule?.rawValue ?? "TLS set-up")")
    }
}

extension HandshakeFacts {
    /// For example `TLS 1.3, TLS_AES_128_GCM_SHA256, group X25519, ALPN h2`; static RSA has no group.
    var agreement: String {
        ["TLS \(version.name)", suite.name, group.map { "group \($0)" }, alpn.map { "ALPN \($0)" }]
            .compactMap(\.self).joined(separator: ", ")
    }

    /// Of TLS 1.2. Source: RFC 7627; Apple, iOS 27 release notes; Apple support 126655; docs/law/profiles.md#ios-27.
    fileprivate static let noMasterSecret =
        "no extended master secret: apps load all the same, system processes of 27 do not (device management, "
        + "updates)"

    /// Of a leaf under a root of the system's store; nil where it is within the rule of its day. Source: CA/Browser
    /// Forum, SC-081; docs/law/trust.md#validity-period.
    fileprivate var lifetimeBeyondCARule: String? {
        guard anchor == .system, let leaf = path.first, leaf.notBefore >= Self.march2026 else { return nil }
        let (seconds, overflow) = leaf.notAfter.subtractingReportingOverflow(leaf.notBefore)
        guard !overflow, seconds > Self.daysOfCARule * Day.seconds else { return nil }
        let days = (seconds - 1) / Day.seconds + 1
        return "\(days) days: more than the \(Self.daysOfCARule) that a public CA may give since 2026-03-15 (CA rule; "
            + "no device is known to ask)"
    }

    /// 2026-03-15, in seconds since 1970-01-01 UTC.
    private static let march2026: Int64 = 1_773_532_800
    private static let daysOfCARule: Int64 = 200

    fileprivate var timestamps: String {
        let texts = [("in the leaf", scts.embedded), ("in the handshake", scts.handshake), ("stapled", scts.stapled)]
            .filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
        return texts.isEmpty ? "none" : texts.joined(separator: ", ") + (sctReview == nil ? ", not verified" : "")
    }

    /// What the chain as served lacks up to where it ends.
    fileprivate var missing: String {
        let last = path.last ?? served.last
        let name = last.map { $0.issuerText } ?? "an issuer"
        return switch anchor {
        case .system: "nothing: it ends at a root of the system's" + spare
        case .user: "nothing: it ends at a root that the user installed" + spare
        case .selfSignedLeaf: "an issuer: the leaf signs itself"
        case .unknownRoot: "a root that is believed: \(last?.subject ?? "the last one") is not"
        case .incomplete: "\(name), which was neither served nor known"
        case .broken: "a chain that verifies"
        }
    }

    /// Certificates that were served and are in no use.
    private var spare: String {
        let used = Set(path.map(\.sha256))
        let needless = served.count { !used.contains($0.sha256) }
        return needless == 0 ? "" : "; \(needless) of those served \(needless == 1 ? "is" : "are") not needed"
    }
}

extension CertificateFacts {
    fileprivate var line: String {
        "\(subject), \(keyType.rawValue.uppercased()) \(keyBits), \(signature), \(Self.day(notBefore)) to "
            + "\(Self.day(notAfter)), from \(issuerText)"
    }

    fileprivate var issuerText: String { issuer == subject ? "itself" : issuer }

    /// Seconds since 1970-01-01 UTC as a day.
    private static func day(_ seconds: Int64) -> String {
        Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601.year().month().day())
    }
}
