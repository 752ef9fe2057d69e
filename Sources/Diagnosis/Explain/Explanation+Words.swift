import ATSPolicy
import Text

extension Explanation {
    /// Several lines for people: the ruling, why, what is asked of TLS, notes, and for a denial the smallest fix.
    public var words: String {
        let basis = ruling.basis
        var lines = [url.text.printable]
        let answer = isPermitted ? "allowed to leave" : "denied"
        lines.append(row("ruling", "\(answer) (\(profile.title), asked by \(loader.rawValue))"))
        if case .denial(let denial) = ruling { lines.append(row("rule", denial.rule.rawValue)) }
        lines.append(row("why", "\(Self.reason(basis.step)) [\(basis.step.rawValue), \(basis.confidence.rawValue)]"))
        if let keyPath = basis.keyPath {
            lines.append(row("key", [place, keyPath].compactMap(\.self).joined(separator: " ")))
        } else if basis.step == .secureDefault {
            lines.append(row("key", "no entry: secure default"))
        }
        if let entry = basis.entry { lines.append(row("entry", basis.isBuiltIn ? "\(entry) (built in)" : entry)) }
        if basis.isLocal { lines.append(row("local", "the host counts as local")) }
        lines += demandRows
        lines += notes.map { row("note", $0) }
        lines += fixes.map { row("fix", $0) }
        return lines.joined(separator: "\n")
    }

    /// The smallest changes that would let a denied load leave, the best one first; empty for a permit.
    public var fixes: [String] {
        guard case .denial(let denial) = ruling else { return [] }
        let host = denial.target.host
        let server = "Serve it over https, and ask for https://."
        if denial.basis.isLocal, denial.basis.entry == nil {
            return [server, "Set NSAllowsLocalNetworking to true."]
        }
        if IPAddress(host) != nil, !profile.keys.contains(.addresses) {
            return [server, "Only NSAllowsArbitraryLoads frees an address on \(profile.title) (\(LawTopic.ios9))."]
        }
        let setting = "NSExceptionAllowsInsecureHTTPLoads to true"
        if denial.basis.entry == host {
            return [server, "In the entry \(host) of NSExceptionDomains, set \(setting)."]
        }
        return [server, "Add an entry \(host) to NSExceptionDomains and set \(setting) in it."]
    }

    /// Why, in one line, with what is asked of an https load.
    var summary: String {
        let reason = Self.reason(ruling.basis.step)
        guard case .permit(let permit) = ruling, let offer = permit.offer else { return reason }
        guard let demands = permit.demands else { return "\(reason); TLS \(offer.minimum.name) or newer" }
        let texts = [
            "TLS \(demands.minimumTLS.name) or newer", demands.forwardSecrecy ? "forward secrecy" : nil,
            demands.strictTrust ? "strict trust" : nil, demands.isPinned ? "pinned" : nil,
            "\(demands.suites.count) suites", offer.maximum < .tls13 ? "no TLS 1.3" : nil,
        ]
        return "\(reason); " + texts.compactMap { $0 }.joined(separator: ", ")
    }

    private var demandRows: [String] {
        guard case .permit(let permit) = ruling, permit.target.scheme == .https else { return [] }
        guard let demands = permit.demands else {
            let floor = permit.offer.map { ", from TLS \($0.minimum.name) on" } ?? ""
            return [
                row("must", "the origin must show what the system itself asks\(floor); ATS asks nothing"), nextStep,
            ]
        }
        var texts = ["TLS \(demands.minimumTLS.name) or newer"]
        texts.append(demands.forwardSecrecy ? "forward secrecy" : "forward secrecy is not asked for")
        texts.append(trust(demands))
        if demands.certificateFloor { texts.append(floor(demands)) }
        if demands.isPinned { texts.append("a pinned identity") }
        if let niap = demands.niap { texts.append("the NIAP package \(niap.rawValue)") }
        if demands.requiresCertificateTransparency { texts.append("Certificate Transparency") }
        return [row("must", "the origin must show: " + texts.joined(separator: "; "))]
            + demands.suites.map { row("suite", $0.name) } + [nextStep]
    }

    /// A ruling is not yet a verdict.
    private var nextStep: String { row("next", "whether it does: atsgate probe \(url.text.shellWord)") }

    private func trust(_ demands: TLSDemands) -> String {
        if demands.acceptsAnyCertificate { return "any certificate" }
        return demands.strictTrust ? "trust that the app can not override" : "trust that the app may override"
    }

    private func floor(_ demands: TLSDemands) -> String {
        (demands.waivesKeySize ? "" : "keys of RSA 2048 or EC 256 bits, ") + "SHA-256 signatures"
            + (demands.checksLeafOnly ? " of the leaf alone" : "")
    }

    private func row(_ label: String, _ text: String) -> String {
        "  " + label + String(repeating: " ", count: max(1, Self.labelColumns - label.count)) + text.printable
    }

    private static func reason(_ step: RulingBasis.Step) -> String {
        switch step {
        case .exception: "an entry for this host decides; the global keys are not looked at"
        case .local: "local hosts are free"
        case .addressUngoverned: "this system does not apply ATS to addresses"
        case .mediaGrant: "media loads are free"
        case .webGrant: "loads of web content are free"
        case .siblingPresent: "no entry and no grant covers it, and NSAllowsArbitraryLoads is not looked at"
        case .arbitraryLoads: "NSAllowsArbitraryLoads is true"
        case .secureDefault: "no key frees this host: the secure default"
        case .outside: "the client is not governed by ATS"
        }
    }

    /// Width of the label column, in characters.
    private static let labelColumns = 9
}
