import ATSPolicy
import Records
import Text

/// Findings about clients that do not take the gate's certificates.
extension Finding {
    /// - Parameters:
    ///   - alert: the TLS alert that the client sent; nil when it just closed.
    ///   - declared: where the app says that it pins the host, see ``SessionContext/declaredPins(of:)``.
    static func clientRejectedLeaf(
        alert: UInt8?, host: String, _ suspicion: PinningWatch.Suspicion, declared: String?
    ) -> Finding {
        let how = alert.map { "with TLS alert \($0)" } ?? "without an alert"
        let reason = declared.map { ", and \($0)" } ?? ""
        let meaning =
            switch suspicion {
            case .lacksAuthority:
                "It has taken none so far\(reason): install the CA (atsgate ca export), or use --passthrough \(host) "
                    + "if the app pins its server."
            case .pins:
                "It has taken those for other hosts\(reason): the app pins this one, and --passthrough \(host) lets "
                    + "it pass."
            case .pinsAndPasses:
                "It has taken those for other hosts\(reason): the app pins this one, which is passed through for "
                    + "\(PinningWatch.minutes) minutes from its next try on."
            }
        return seen(
            .clientRejectedLeaf, "Client refused the gate's certificate",
            expected: "a client that trusts the gate's CA",
            observed: "The client refused the certificate for \(host) \(how). \(meaning)", source: "RFC 8446 6.2")
    }

    /// A host that is not decrypted because its client pins it.
    static func passedThrough(_ host: String) -> Finding {
        seen(
            .clientPins, "Client pins this host", expected: "a client that trusts the gate's CA",
            observed: "The client has refused the gate's certificate for \(host) twice and taken those for other "
                + "hosts, so its bytes go on undecrypted; the verdict is that of a handshake of the gate's own.",
            source: "RFC 8446 6.2")
    }
}

extension SessionContext {
    /// Where the app itself says that it pins a tunnel's host; nil where it does not.
    ///
    /// Source: Apple, NSPinnedDomains (docs/law/pinning.md); TrustKit, TSKConfiguration in the Info.plist.
    func declaredPins(of tunnel: Tunnel) -> String? {
        if tunnel.permit.demands?.pins != nil { return "the dictionary pins it by NSPinnedDomains" }
        let isInTrustKit = system.judge.declaration.trustKitDomains.contains(tunnel.target.host)
        return isInTrustKit ? "the bundle pins it by TrustKit (TSKPinnedDomains)" : nil
    }
}
