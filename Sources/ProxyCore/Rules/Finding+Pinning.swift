import ATSPolicy
import Records
import Text

/// Findings about clients that do not take the gate's certificates.
extension Finding {
    /// - Parameters:
    ///   - alert: the TLS alert that the client sent; nil when it just closed.
    ///   - declared: where the app says that it pins the host, see ``Tunnel/declaredPins(by:)``.
    static func clientRejectedLeaf(
        alert: UInt8?, host: String, _ suspicion: PinningWatch.Suspicion, declared: String?
    ) -> Finding {
        let how = alert.map { "with TLS alert \($0)" } ?? "without an alert"
        return seen(
            .clientRejectedLeaf, "Client refused the gate's certificate",
            expected: "a client that trusts the gate's CA",
            observed: "The client refused the certificate for \(host) \(how). \(suspicion.meaning(host, declared))",
            source: "RFC 8446 6.2")
    }

    /// No fault of anybody's yet: a client may also have thought better of it.
    static func leftAtOnce(_ host: String, _ suspicion: PinningWatch.Suspicion, declared: String?) -> Finding {
        seen(
            .clientRejectedLeaf, "Client left after the handshake", expected: "a request",
            observed: "The client shook hands with the certificate for \(host), asked for nothing and left, as apps do "
                + "that look at it themselves. \(suspicion.meaning(host, declared))",
            source: "RFC 8446 6.2", confidence: .inferred)
    }

    /// A host that is not decrypted because its client pins it.
    static func passedThrough(_ host: String, declared: String?) -> Finding {
        let reason = declared.map { " It was to be expected: \($0)." } ?? ""
        return seen(
            .clientPins, "Client pins this host", expected: "a client that trusts the gate's CA",
            observed: "The client has refused the gate's certificate for \(host) twice and taken those for other "
                + "hosts, so its bytes go on undecrypted; the verdict is that of a handshake of the gate's own.\(reason)",
            source: "RFC 8446 6.2")
    }
}

extension PinningWatch.Suspicion {
    /// What a person may conclude, and do.
    fileprivate func meaning(_ host: String, _ declared: String?) -> String {
        let reason = declared.map { ", and \($0)" } ?? ""
        switch self {
        case .lacksAuthority:
            return
                "It has taken none so far\(reason): install the CA (atsgate ca export), or use --passthrough \(host) "
                + "if the app pins its server."
        case .pins:
            return "It has taken those for other hosts\(reason): the app seems to pin this one, and --passthrough "
                + "\(host) lets it pass."
        case .pinsAndPasses:
            return
                "It has taken those for other hosts\(reason): the app seems to pin this one, which is passed through "
                + "for \(PinningWatch.minutes) minutes from its next try on."
        }
    }
}

extension Tunnel {
    /// Where the app itself says that it pins the host; nil where it does not.
    ///
    /// Source: Apple, NSPinnedDomains (docs/law/pinning.md); TrustKit, TSKConfiguration in the Info.plist.
    func declaredPins(by system: SystemPolicy) -> String? {
        if ruled.permit.demands?.pins != nil { return "the dictionary pins it by NSPinnedDomains" }
        let isInTrustKit = system.judge.declaration.trustKitDomains.contains(target.host)
        return isInTrustKit ? "the bundle pins it by TrustKit (TSKPinnedDomains)" : nil
    }
}
