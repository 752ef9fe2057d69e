/// The pf rules of a gateway on macOS, in a separate anchor. Not run on a Mac.
///
/// Sources: pf.conf(5) and pfctl(8) of macOS. The main rules evaluate all anchors below `com.apple`, for translation
/// and for filtering (/etc/pf.conf of macOS). A redirected connection needs `pass` (mitmproxy's documentation,
/// howto-transparent, macOS).
struct PacketAnchor {
    let gateway: Gateway

    /// The only anchor that is ever created, changed or deleted.
    static let name = "com.apple/atsgate"
    /// Marks each rule of atsgate, and is printed with it.
    private static let mark = "tag atsgate"

    static let command = ["pfctl", "-a", name, "-f", "-"]
    /// Not `all`, which also flushes states of other programs.
    static let removals = ["nat", "rules"].map { ["pfctl", "-a", name, "-F", $0] }
    static let questions = ["nat", "rules"].map { ["pfctl", "-a", name, "-s", $0] }

    /// Translation comes before filtering (pf.conf(5), statement order).
    var text: String { (translation + filters).joined(separator: "\n") + "\n" }

    /// One line for each resulting rule of pf.
    private var translation: [String] {
        gateway.interfaces.flatMap { interface in
            // Traffic for this machine itself, its pages for example, is not redirected.
            ["no rdr on \(interface) inet proto tcp from any to (\(interface)) \(Self.mark)"]
                + gateway.ports.map { port in
                    "rdr pass on \(interface) inet proto tcp from any to any port \(port) \(Self.mark) -> 127.0.0.1 "
                        + "port \(gateway.listenPort)"
                }
        }
    }

    /// Rejected immediately, so that a client uses TCP (RFC 9308 section 2), and IPv4 (RFC 8305 section 5).
    private var filters: [String] {
        gateway.interfaces.flatMap { interface in
            ["block return in quick on \(interface) proto udp from any to any port 443 \(Self.mark)"]
                + gateway.ports.map { port in
                    "block return in quick on \(interface) inet6 proto tcp from any to any port \(port) \(Self.mark)"
                }
        }
    }

    /// True if all rules in the output of both questions are those of atsgate.
    static func isOurs(_ listing: String) -> Bool { rules(in: listing).allSatisfy { isMarked($0) } }

    /// The state by the number of printed rules.
    func state(in listing: String) -> PacketState {
        let count = Self.rules(in: listing).count
        return count == 0 ? .absent : count == translation.count + filters.count ? .whole : .lacking
    }

    private static func rules(in listing: String) -> [Substring] {
        listing.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
    }

    private static func isMarked(_ rule: Substring) -> Bool { (rule + " ").contains(" \(mark) ") }
}

/// The parts of macOS's pf that a gateway uses.
struct PacketFilter {
    let setup: Setup

    /// - Throws: the obstacle: missing rights, pf that is off, or main rules that do not evaluate the anchor.
    func check() throws(SetupFailure) {
        let question = ["pfctl", "-s", "info"]
        let told = setup.runner.run(question)
        if told.status != 0, told.complaint.contains("Permission denied") { throw .rights }
        guard told.status == 0 else { throw .command(question, reason: told.reason) }
        guard told.output.split(separator: "\n").contains(where: { $0.hasPrefix("Status: Enabled") }) else {
            throw .packetFilter("it is off: switch on Internet Sharing, or run sudo pfctl -E")
        }
        for (modifier, rule) in [("nat", "rdr-anchor"), ("rules", "anchor")] {
            let listed = try setup.ask(["pfctl", "-s", modifier])
            guard listed.split(separator: "\n").contains(where: { $0.hasPrefix("\(rule) \"com.apple/*\"") }) else {
                throw .packetFilter("its main rules have no \(rule) \"com.apple/*\", which /etc/pf.conf of macOS has")
            }
        }
    }

    /// The state of the anchor.
    ///
    /// - Throws: ``SetupFailure/packetFilter(_:)`` if it has a rule that atsgate did not create.
    func state(of gateway: Gateway) throws(SetupFailure) -> PacketState {
        var text = ""
        for question in PacketAnchor.questions {
            let listed = setup.runner.run(question)
            if listed.status != 0, Self.hasNoAnchor(listed.complaint) { continue }
            guard listed.status == 0 else { throw .command(question, reason: listed.reason) }
            text += listed.output + "\n"
        }
        guard PacketAnchor.isOurs(text) else {
            throw .packetFilter(
                "the anchor \(PacketAnchor.name) has rules that atsgate did not create, so it is left unchanged")
        }
        return PacketAnchor(gateway: gateway).state(in: text)
    }

    /// True if pfctl reports that the anchor does not exist: it is created when rules are first loaded.
    ///
    /// Sources: XNU, bsd/net/pf_ioctl.c, DIOCGETRULES, which returns EINVAL in that case (documented), and the message
    /// that pfctl of macOS prints for it (observed: NikushaKalatozi/MacOS-Big-Sur-Sharing-Host-VPN-with-Guest, issue
    /// 6). Its exit status then is not known. Since FreeBSD's commit 725e65580a0e, from OpenBSD's 574cdb686a, pfctl of
    /// FreeBSD exits with 1 and prints the other message (that Apple's may do the same is inferred).
    private static func hasNoAnchor(_ complaint: String) -> Bool {
        complaint.contains("DIOCGETRULES: Invalid argument") || complaint.contains("Anchor does not exist")
    }

    /// Names from `ifconfig -l`, which prints one line (ifconfig(8)), without names whose characters could end a string
    /// in a rule.
    func interfaces() throws(SetupFailure) -> [String] {
        try setup.ask(["ifconfig", "-l"]).split(whereSeparator: \.isWhitespace).map(String.init).filter { name in
            name.utf8.allSatisfy { $0 < 0x80 } && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        }
    }
}

extension Setup {
    var packetFilter: PacketFilter { PacketFilter(setup: self) }

    /// Redirects IPv4 traffic from interfaces of a Mac to the gate. Undoes another gateway first.
    ///
    /// - Returns: the changes; empty if it was already set up.
    public func useMacGateway(_ gateway: Gateway) throws(SetupFailure) -> [String] {
        try packetFilter.check()
        try recover()
        let known = try packetFilter.interfaces()
        for name in gateway.interfaces where !known.contains(name) { throw .unknownInterface(name, known: known) }
        let steps = try kernelSettings.macForwardingSteps() + [.anchor(gateway)]
        return try isInPlace(.gateway, as: steps) ? [] : replace(.gateway, by: steps)
    }
}
