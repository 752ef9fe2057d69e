import ATSPolicy
import Text

extension Explanation {
    /// Several lines of text: the ruling, its reason, the requirements for the server, notes, and for a blocked load
    /// the smallest fix.
    ///
    /// - Parameters:
    ///   - isVerbose: adds every cipher suite and the basis of the ruling.
    ///   - asCommands: shows the entry to paste as commands instead of XML.
    public func words(isVerbose: Bool = false, asCommands: Bool = false) -> String {
        let basis = ruling.basis
        var lines = [url.text.printable] + answerRows
        lines.append(row("because", basis.step.words))
        if let keyPath = basis.keyPath {
            lines.append(row("key", [place, keyPath].compactMap(\.self).joined(separator: " ")))
        }
        if let entry = basis.entry {
            lines.append(row("entry", basis.isBuiltIn ? "\(entry) (built into the system)" : entry))
        }
        if basis.isLocal { lines.append(row("local", "the host counts as local")) }
        if isVerbose {
            lines.append(row("basis", "\(basis.step.rawValue), \(basis.confidence.rawValue)"))
            lines += (demands?.suites ?? []).map { row("suite", $0.name) }
        }
        if isPermitted, url.target.scheme == .https {
            // The ruling does not depend on the server, the verdict does.
            lines.append(row("next", "test the server: atsgate probe \(url.text.shellWord)"))
        }
        lines += (notes + (isVerbose ? minorNotes : [])).map { row("note", References.shown($0)) }
        lines += fixes.map { row("fix", References.shown($0)) }
        for (place, entry) in toPaste.enumerated() {
            let label = place > 0 ? "or" : asCommands ? "commands" : "plist"
            lines += (asCommands ? entry.plistBuddy : entry.xml).enumerated().map { row($0 == 0 ? label : "", $1) }
        }
        return lines.joined(separator: "\n")
    }

    private var answerRows: [String] {
        let asker = "on \(profile.title), requested by \(loader.words)"
        switch ruling {
        case .denial(let denial): return [row("blocked", "\(asker): \(denial.rule.rawValue)")]
        case .permit(let permit):
            guard url.target.scheme == .https else { return [row("allowed", asker)] }
            return [row("allowed", "\(asker); the server must show:")] + requirements(of: permit).map { row("", $0) }
        }
    }

    /// The smallest changes that would allow a denied load, the best one first; empty for a permit.
    public var fixes: [String] {
        guard case .denial(let denial) = ruling else { return [] }
        let host = denial.target.host
        let secure = url.isWebSocket ? "wss" : "https"
        let server = "Serve it over \(secure), and request \(secure):// in the app."
        if let parent = options.first?.widened {
            return [
                server,
                "Set NSIncludesSubdomains to true in the entry \(parent) of NSExceptionDomains, which also covers its other"
                    + " subdomains.",
            ]
        }
        if denial.basis.isLocal, denial.basis.entry == nil {
            let entry = options.first.map { "Add an entry \($0.fix.domain) to NSExceptionDomains for this host alone." }
            return [server, entry, "Set NSAllowsLocalNetworking to true."].compactMap(\.self)
        }
        if IPAddress(host) != nil, !profile.keys.contains(.addresses) {
            return [server, "Only NSAllowsArbitraryLoads allows an address on \(profile.title) (\(DocsSection.ios9))."]
        }
        let setting = "NSExceptionAllowsInsecureHTTPLoads to true"
        if denial.basis.entry == host {
            return [server, "In the entry \(host) of NSExceptionDomains, set \(setting)."]
        }
        return [server, "Add an entry \(host) to NSExceptionDomains and set \(setting) in it."]
    }

    /// The requirements for the server of an https load, a line each.
    private func requirements(of permit: ConnectPermit) -> [String] {
        guard let demands = permit.demands else {
            let floor = permit.offer.map { ", TLS \($0.minimum.name) or newer" } ?? ""
            return ["the system's own requirements for every server\(floor); ATS adds none"]
        }
        var lines = ["TLS \(demands.minimumTLS.name) or newer, with one of \(demands.suites.count) cipher suites"]
        lines.append(demands.forwardSecrecy ? "forward secrecy" : "no forward secrecy needed")
        lines.append(trust(demands))
        if demands.certificateFloor { lines.append(floor(demands)) }
        if demands.isPinned { lines.append("a pinned identity") }
        if let niap = demands.niap { lines.append("the NIAP package \(niap.rawValue)") }
        if demands.requiresCertificateTransparency { lines.append("Certificate Transparency") }
        return lines
    }

    private func trust(_ demands: TLSDemands) -> String {
        if demands.acceptsAnyCertificate { return "any certificate" }
        return demands.strictTrust
            ? "a certificate that the system trusts; the app's own code cannot accept another"
            : "a certificate that the system trusts, or one that the app's own code accepts"
    }

    private func floor(_ demands: TLSDemands) -> String {
        (demands.waivesKeySize ? "" : "RSA keys of 2048 bits or EC keys of 256 bits at least, ") + "SHA-256 signatures"
            + (demands.checksLeafOnly ? " of the leaf only" : "")
    }

    private func row(_ label: String, _ text: String) -> String {
        "  " + label + String(repeating: " ", count: max(1, Self.labelColumns - label.count)) + text.printable
    }

    /// Width of the label column, in characters.
    private static let labelColumns = 11
}

extension Ruling {
    /// The reason in one line, with the requirements of an https load.
    var summary: String {
        let reason = basis.step.words
        guard case .permit(let permit) = self, let offer = permit.offer else { return reason }
        guard let demands = permit.demands else { return "\(reason); TLS \(offer.minimum.name) or newer" }
        let texts = [
            "TLS \(demands.minimumTLS.name) or newer", demands.forwardSecrecy ? "forward secrecy" : nil,
            demands.strictTrust ? "strict trust" : nil, demands.isPinned ? "pinned" : nil,
            "\(demands.suites.count) suites", offer.maximum < .tls13 ? "no TLS 1.3" : nil,
        ]
        return "\(reason); " + texts.compactMap { $0 }.joined(separator: ", ")
    }
}

extension RulingBasis.Step {
    /// The reason in one line.
    fileprivate var words: String {
        switch self {
        case .exception: "an entry for this host decides, so the global keys do not count"
        case .local: "ATS does not apply to local hosts here"
        case .addressUngoverned: "this release does not apply ATS to addresses"
        case .mediaGrant: "a key allows media loads"
        case .webGrant: "a key allows loads of web content"
        case .siblingPresent: "no key of the dictionary allows it, and NSAllowsArbitraryLoads does not count here"
        case .arbitraryLoads: "NSAllowsArbitraryLoads is true"
        case .secureDefault: "no key of the dictionary covers this host, so the secure defaults apply"
        case .outside: "ATS does not apply to the client"
        }
    }
}

extension Loader {
    /// The part of the app that makes the load, for sentences.
    var words: String {
        switch self {
        case .app: "the app"
        case .web: "web content"
        case .media: "a media player"
        }
    }
}
