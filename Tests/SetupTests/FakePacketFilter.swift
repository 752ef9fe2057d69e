import Setup

/// A fake Mac with Internet Sharing, with the parts of `pfctl`, `sysctl` and `ifconfig` that a gateway uses. pf prints
/// a rule as written, but with `port = 80` for `port 80`, after its usual warnings.
struct FakePacketFilter: FakeMachine {
    struct State: Equatable {
        var isRoot = true
        var isOn = true
        var mainRules = ["nat": "rdr-anchor \"com.apple/*\" all\n", "rules": "anchor \"com.apple/*\" all\n"]
        /// The rules in atsgate's anchor, by the argument of `pfctl -s`.
        var anchor: [String: [String]] = ["nat": [], "rules": []]
        /// pfctl's message and status for atsgate's anchor while it is empty; nil if it prints nothing.
        var noAnchor: CommandOutcome?
        var forwarding = "0"
        var interfaces = "lo0 gif0 en0 utun3 bridge100 a{b}\n"
        /// Commands whose words contain this fail.
        var fails: String?
    }

    let memory: FakeMemory<State>

    init(_ state: State = State(), afterChange: @escaping @Sendable (State) -> Void = { _ in }) {
        memory = FakeMemory(state, afterChange: afterChange)
    }

    func answer(_ command: [String], _ input: String, _ state: inout State) -> CommandOutcome {
        let words = command.joined(separator: " ")
        let always = "No ALTQ support in kernel\nALTQ related functions disabled\n"
        if let part = state.fails, words.contains(part) {
            return CommandOutcome(status: 1, complaint: always + "stdin:1: syntax error\n")
        }
        if words.hasPrefix("pfctl"), !state.isRoot {
            return CommandOutcome(status: 1, complaint: "pfctl: /dev/pf: Permission denied\n")
        }
        func said(_ text: String) -> CommandOutcome { CommandOutcome(output: text, complaint: always) }
        let anchor = "pfctl -a com.apple/atsgate"
        if words.hasPrefix(anchor + " -s "), let none = state.noAnchor, state.anchor.values.allSatisfy(\.isEmpty) {
            return CommandOutcome(status: none.status, complaint: always + none.complaint)
        }
        switch words {
        case "pfctl -s info": return said("Status: \(state.isOn ? "Enabled" : "Disabled") for 0 days\n")
        case "pfctl -s nat": return said(state.mainRules["nat"] ?? "")
        case "pfctl -s rules": return said(state.mainRules["rules"] ?? "")
        case anchor + " -s nat": return said(Self.listing(state, "nat"))
        case anchor + " -s rules": return said(Self.listing(state, "rules"))
        case anchor + " -F nat": state.anchor["nat"] = []
        case anchor + " -F rules": state.anchor["rules"] = []
        case anchor + " -f -":
            let rules = input.split(separator: "\n").map { String($0).replacing("port ", with: "port = ") }
            state.anchor["nat"] = rules.filter { $0.contains("rdr ") }
            state.anchor["rules"] = rules.filter { !$0.contains("rdr ") }
        case "ifconfig -l": return CommandOutcome(output: state.interfaces)
        case "sysctl -n net.inet.ip.forwarding": return CommandOutcome(output: state.forwarding + "\n")
        case "sysctl -q -w net.inet.ip.forwarding=1": state.forwarding = "1"
        case "sysctl -q -w net.inet.ip.forwarding=0": state.forwarding = "0"
        default: return CommandOutcome(status: 127, complaint: "env: \(words): No such file or directory\n")
        }
        return said("")
    }

    private static func listing(_ state: State, _ kind: String) -> String {
        (state.anchor[kind] ?? []).map { $0 + "\n" }.joined()
    }
}
