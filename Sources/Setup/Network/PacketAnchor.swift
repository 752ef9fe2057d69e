/// What pf of macOS is told for a gateway: rules in an anchor of its own. Not run on a Mac.
///
/// Sources: pf.conf(5) and pfctl(8) of macOS. That the main rules lead to all anchors below `com.apple`, for translation
/// and for filtering, is /etc/pf.conf of macOS; that a redirected connection needs `pass`, mitmproxy's documentation,
/// howto-transparent, macOS.
struct PacketAnchor {
    let gateway: Gateway

    /// The only anchor that is ever made, changed or taken away.
    static let name = "com.apple/atsgate"
    /// Stands in each rule of ours, and is printed with it.
    private static let mark = "tag atsgate"

    static let command = ["pfctl", "-a", name, "-f", "-"]
    /// Not `all`, which has states of others along.
    static let removals = ["nat", "rules"].map { ["pfctl", "-a", name, "-F", $0] }
    static let questions = ["nat", "rules"].map { ["pfctl", "-a", name, "-s", $0] }

    /// Translation comes before filtering (pf.conf(5), statement order).
    var text: String { (translation + filters).joined(separator: "\n") + "\n" }

    /// One line for each rule that pf makes of it.
    private var translation: [String] {
        gateway.interfaces.flatMap { interface in
            // What is meant for this machine itself, its pages for example, is not led away.
            ["no rdr on \(interface) inet proto tcp from any to (\(interface)) \(Self.mark)"]
                + gateway.ports.map { port in
                    "rdr pass on \(interface) inet proto tcp from any to any port \(port) \(Self.mark) -> 127.0.0.1 "
                        + "port \(gateway.listenPort)"
                }
        }
    }

    /// Answered at once, so that a client takes TCP (RFC 9308 section 2), and IPv4 (RFC 8305 section 5).
    private var filters: [String] {
        gateway.interfaces.flatMap { interface in
            ["block return in quick on \(interface) proto udp from any to any port 443 \(Self.mark)"]
                + gateway.ports.map { port in
                    "block return in quick on \(interface) inet6 proto tcp from any to any port \(port) \(Self.mark)"
                }
        }
    }

    /// Whether all rules that were printed for both questions are ours.
    static func isOurs(_ listing: String) -> Bool { rules(in: listing).allSatisfy { isMarked($0) } }

    /// By how many rules were printed.
    func state(in listing: String) -> PacketState {
        let count = Self.rules(in: listing).count
        return count == 0 ? .absent : count == translation.count + filters.count ? .whole : .lacking
    }

    private static func rules(in listing: String) -> [Substring] {
        listing.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
    }

    private static func isMarked(_ rule: Substring) -> Bool { (rule + " ").contains(" \(mark) ") }
}

/// pf of macOS, as far as a gateway asks it.
struct PacketFilter {
    let setup: Setup

    /// - Throws: what stands in the way: rights, pf that is off, or main rules that do not lead to our anchor.
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

    /// What our anchor has in it.
    ///
    /// - Throws: ``SetupFailure/packetFilter(_:)`` where it has a rule that is not ours.
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
                "the anchor \(PacketAnchor.name) has rules that atsgate did not make, and stays as it is")
        }
        return PacketAnchor(gateway: gateway).state(in: text)
    }

    /// Whether pfctl says that there is no such anchor: before rules are loaded into it, nobody has made it.
    ///
    /// Sources: XNU, bsd/net/pf_ioctl.c, DIOCGETRULES, which answers EINVAL then (documented), and what pfctl of macOS
    /// prints of that (observed: NikushaKalatozi/MacOS-Big-Sur-Sharing-Host-VPN-with-Guest, issue 6). Whether it ends with
    /// 0 after it is not known; since FreeBSD's commit 725e65580a0e, from OpenBSD's 574cdb686a, that of FreeBSD ends with 1
    /// and says the other (that Apple's may, too, is inferred).
    private static func hasNoAnchor(_ complaint: String) -> Bool {
        complaint.contains("DIOCGETRULES: Invalid argument") || complaint.contains("Anchor does not exist")
    }

    /// As `ifconfig -l` prints them in one line (ifconfig(8)), where nothing in them could end a name in a rule.
    func interfaces() throws(SetupFailure) -> [String] {
        try setup.ask(["ifconfig", "-l"]).split(whereSeparator: \.isWhitespace).map(String.init).filter { name in
            name.utf8.allSatisfy { $0 < 0x80 } && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        }
    }
}

extension Setup {
    var packetFilter: PacketFilter { PacketFilter(setup: self) }

    /// Leads what comes in on interfaces of a Mac to the gate, of IPv4. Another gateway is taken back first.
    ///
    /// - Returns: what was changed; nothing where all was so already.
    public func useMacGateway(_ gateway: Gateway) throws(SetupFailure) -> [String] {
        try packetFilter.check()
        try recover()
        let known = try packetFilter.interfaces()
        for name in gateway.interfaces where !known.contains(name) { throw .unknownInterface(name, known: known) }
        let steps = try kernelSettings.macForwardingSteps() + [.anchor(gateway)]
        return try isStanding(.gateway, as: steps) ? [] : replace(.gateway, by: steps)
    }
}
