import ATSPolicy
import Foundation
import Records
import Text

extension ProbeAnswer {
    /// Rows about one address: its place, the TLS parameters, its chain as served, and the end of that chain.
    ///
    /// - Parameter isAlone: true if the target has only this address, so that its verdict need not be repeated.
    func rows(isAlone: Bool) -> [ProbeRow] {
        var rows = [ProbeRow("address", place(isAlone: isAlone))]
        guard let facts else { return rows }
        rows.append(ProbeRow("agreed", facts.agreement))
        rows += groupRows
        rows += facts.served.enumerated().map { ProbeRow("served \($0 + 1)", $1.line) }
        rows.append(ProbeRow("chain", facts.missing))
        rows.append(ProbeRow("SCTs", facts.timestamps))
        rows.append(ProbeRow("staple", facts.staple.map(\.status.word) ?? "none"))
        if let usesSecret = facts.usesExtendedMasterSecret {
            rows.append(ProbeRow("EMS", usesSecret ? "extended master secret" : HandshakeFacts.noMasterSecret))
        }
        if let lifetime = facts.lifetimeBeyondCARule { rows.append(ProbeRow("lifetime", lifetime)) }
        return rows + clientRows
    }

    /// The chain in two lines, and the request for a client certificate.
    var briefRows: [ProbeRow] {
        guard let facts else { return [] }
        var rows: [ProbeRow] = []
        if let leaf = facts.served.first {
            let more = facts.served.count - 1
            let rest = more == 0 ? "" : "; and \(more) more"
            rows.append(ProbeRow("served", leaf.line + rest))
        }
        rows.append(ProbeRow("chain", facts.missing))
        if case .notOffered = quantumSecurity { return rows + clientRows }
        return rows + (isPassed ? groupRows : []) + clientRows
    }

    private var groupRows: [ProbeRow] {
        quantumSecurity.map { [ProbeRow("group", "\(facts?.group ?? "none"), \($0.words)")] } ?? []
    }

    private var clientRows: [ProbeRow] {
        facts?.clientCertificate.map { [ProbeRow("client", words(for: $0))] } ?? []
    }

    private func words(for use: ClientCertificateUse) -> String {
        let asked = use == .sent ? "the server requested a certificate and got it" : "the server requests a certificate"
        guard isPassed else { return asked }
        if wasSilent { return asked + "; it sent nothing after that, so it may still reject a load" }
        return asked + (use == .sent ? "" : "; the handshake succeeds without one")
    }

    private func place(isAlone: Bool) -> String {
        var text = origin?.address ?? "not reached"
        if let address = origin?.address { text += address.hasPrefix("[") ? ", IPv6" : ", IPv4" }
        if let connectTicks { text += ", connected in \(connectTicks / 1_000) ms" }
        if let handshakeTicks { text += ", handshake \(handshakeTicks / 1_000) ms" }
        if isError, origin != nil, isAlone { text += ", not reached" }
        guard !isAlone else { return text }
        return text + (isPassed ? ": allowed" : ": \(verdict.rule?.rawValue ?? "TLS set-up")")
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
        "no extended master secret: apps still load, but system processes of 27 (device management, updates) "
        + "do not"

    /// The lifetime of a leaf under a root of the system's store; nil if it complies with the rule of its day. Source:
    /// CA/Browser
    /// Forum, SC-081; docs/law/trust.md#validity-period.
    fileprivate var lifetimeBeyondCARule: String? {
        guard anchor == .system, let leaf = path.first, leaf.notBefore >= Self.march2026 else { return nil }
        let (seconds, overflow) = leaf.notAfter.subtractingReportingOverflow(leaf.notBefore)
        guard !overflow, seconds > Self.daysOfCARule * Day.seconds else { return nil }
        let days = (seconds - 1) / Day.seconds + 1
        return "\(days) days: public CAs may issue at most \(Self.daysOfCARule) days since 2026-03-15 (CA rule; "
            + "no device is known to check it)"
    }

    /// 2026-03-15, in seconds since 1970-01-01 UTC.
    private static let march2026: Int64 = 1_773_532_800
    private static let daysOfCARule: Int64 = 200

    fileprivate var timestamps: String {
        let texts = [("in the leaf", scts.embedded), ("in the handshake", scts.handshake), ("stapled", scts.stapled)]
            .filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
        return texts.isEmpty ? "none" : texts.joined(separator: ", ") + (sctReview == nil ? ", not verified" : "")
    }

    /// The state of the chain as served: complete, or the missing part.
    fileprivate var missing: String {
        let last = path.last ?? served.last
        let name = last.map { $0.issuerText } ?? "an issuer"
        let isWhole = faults.isEmpty
        return switch anchor {
        case .system where !isWhole, .user where !isWhole: "a trusted root, but against a rule of X.509" + spare
        case .system: "complete, trusted root" + spare
        case .user: "complete, root installed by the user" + spare
        case .selfSignedLeaf: "none: the leaf is self-signed"
        case .unknownRoot: "untrusted root: \(last?.subject ?? "the last certificate")"
        case .incomplete: "incomplete: the issuer \(name) is neither served nor known"
        case .broken: "does not verify"
        }
    }

    /// A remark on served certificates that are not part of the chain.
    private var spare: String {
        let used = Set((path + otherPaths.flatMap(\.certificates)).map(\.sha256))
        let needless = served.count { !used.contains($0.sha256) }
        return needless == 0
            ? "" : "; \(needless) served \(needless == 1 ? "certificate is" : "certificates are") not needed"
    }
}

extension CertificateFacts {
    fileprivate var line: String {
        "\(subject), \(keyType.rawValue.uppercased()) \(keyBits), \(signature), \(Self.day(notBefore)) to "
            + "\(Self.day(notAfter)), from \(issuerText)"
    }

    fileprivate var issuerText: String { issuer == subject ? "itself" : issuer }

    /// The day of a time in seconds since 1970-01-01 UTC.
    private static func day(_ seconds: Int64) -> String {
        Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601.year().month().day())
    }
}
