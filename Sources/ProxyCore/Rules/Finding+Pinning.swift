import ATSPolicy
import Records
import Text

/// Findings about clients that do not accept the gate's certificates.
extension Finding {
    /// - Parameters:
    ///   - alert: the TLS alert that the client sent; nil if it just closed.
    ///   - declared: how the app declares its pin of the host, see ``Tunnel/declaredPins(by:)``.
    static func clientRejectedLeaf(
        alert: UInt8?, host: String, _ suspicion: PinningWatch.Suspicion, declared: String?
    ) -> Finding {
        let how = alert.map { "with TLS alert \($0)" } ?? "without an alert"
        return seen(
            .clientRejectedLeaf, "Client rejected the gate's certificate",
            expected: "a client that trusts the gate's CA",
            observed: "The client rejected the certificate for \(host) \(how). \(suspicion.meaning(host, declared))",
            source: "RFC 8446 6.2")
    }

    /// Not yet an error: the client may simply have changed its mind.
    static func leftAtOnce(_ host: String, _ suspicion: PinningWatch.Suspicion, declared: String?) -> Finding {
        seen(
            .clientRejectedLeaf, "Client left after the handshake", expected: "a request",
            observed: "The client finished the handshake with the certificate for \(host) and left without a request, "
                + "as apps do that check the certificate themselves. \(suspicion.meaning(host, declared))",
            source: "RFC 8446 6.2", confidence: .inferred)
    }

    /// A host that is not decrypted because its client pins it.
    static func passedThrough(_ host: String, declared: String?) -> Finding {
        let reason = declared.map { " This was expected: \($0)." } ?? ""
        return seen(
            .clientPins, "Client pins this host", expected: "a client that trusts the gate's CA",
            observed: "The client rejected the gate's certificate for \(host) twice and accepted those for other "
                + "hosts, so its data is not decrypted. The verdict is based on the gate's own handshake.\(reason)",
            source: "RFC 8446 6.2")
    }
}

extension PinningWatch.Suspicion {
    /// The conclusion for the user, with the next step.
    fileprivate func meaning(_ host: String, _ declared: String?) -> String {
        let reason = declared.map { ", and \($0)" } ?? ""
        switch self {
        case .lacksAuthority:
            return
                "It has accepted none so far\(reason): install the CA (atsgate ca export), or use --passthrough "
                + "\(host) if the app pins its server."
        case .pins:
            return "It has accepted those for other hosts\(reason): the app seems to pin this one. To pass it through: "
                + "--passthrough \(host)"
        case .pinsAndPasses:
            return
                "It has accepted those for other hosts\(reason): the app seems to pin this one, which is passed "
                + "through for \(PinningWatch.minutes) minutes from its next attempt."
        }
    }
}

extension Tunnel {
    /// How the app declares its pin of the host; nil if it does not.
    ///
    /// Source: Apple, NSPinnedDomains (docs/law/pinning.md); TrustKit, TSKConfiguration in the Info.plist.
    func declaredPins(by system: SystemPolicy) -> String? {
        if ruled.permit.demands?.pins != nil { return "the dictionary pins it by NSPinnedDomains" }
        let isInTrustKit = system.judge.declaration.trustKitDomains.contains(target.host)
        return isInTrustKit ? "the bundle pins it by TrustKit (TSKPinnedDomains)" : nil
    }
}
