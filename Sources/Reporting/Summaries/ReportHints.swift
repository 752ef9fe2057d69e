import ATSPolicy
import Records

/// The end of a text report: what the table alone may leave people wondering about.
struct ReportHints: Sendable {
    private var wouldBlock = 0
    /// Loads of witness mode.
    private var witnessed = 0
    private var outside = 0
    private var clients = ClientNotes()
    private var hasGenericAlert = false
    private var hasFailure = false
    private var failsOnDevice = 0
    private var leavesRefused = 0
    private var hasInference = false
    private var hasMask = false

    /// Takes loads in that are alike.
    mutating func add(_ load: DecodedRecord, verdict: Verdict, loads: Int) {
        if load.policy.mode == RecordingOverview.Mode.witness.rawValue {
            witnessed += loads
        } else if verdict == .wouldBlock {
            wouldBlock += loads
        }
        if verdict == .outside { outside += loads }
        clients.add(load, verdict: verdict, loads: loads)
        if verdict == .failed { addFailure(load.findings.first?.rule ?? "", loads) }
        if load.apple?.streamErrorCode == genericAlert { hasGenericAlert = true }
        if verdict != .outside, load.findings.first?.confidence == "inferred" { hasInference = true }
        if !load.masked.isEmpty { hasMask = true }
    }

    private mutating func addFailure(_ rule: String, _ loads: Int) {
        if rule == RuleID.clientRejectedLeaf.rawValue {
            leavesRefused += loads
        } else if RuleCategory(ofRule: rule) == .tls {
            failsOnDevice += loads
        } else {
            hasFailure = true
        }
    }

    /// The hints that apply, or nothing.
    func text(colours: TerminalColours) -> String {
        let hints = lines
        guard !hints.isEmpty else { return "" }
        return "\n" + colours.strong("HINTS") + "\n" + hints.map { "  - \($0)\n" }.joined()
    }

    /// A sentence each.
    var lines: [String] {
        var hints: [String] = []
        if hasGenericAlert {
            hints.append("-9802 is what a device reports for many different reasons; the rule says which one it was.")
        }
        if wouldBlock > 0 {
            hints.append("Audit mode let \(wouldBlock.loads) pass that a device would refuse.")
        }
        if witnessed > 0 {
            hints.append(
                "Witness mode enforced nothing and opened no TLS: the verdicts of \(witnessed.loads) are predictions, "
                    + "and `device` of each record says what the device did.")
        }
        if leavesRefused > 0 {
            hints.append(
                "The client refused the gate's certificate for \(leavesRefused.loads): have it trust what atsgate ca "
                    + "export gives; an app that pins its server needs --passthrough HOST.")
        }
        if failsOnDevice > 0 {
            hints.append(
                "No device could make \(failsOnDevice.loads) either, though not by ATS: atsgate probe says fail.")
        }
        if hasFailure {
            hints.append("A failed load broke on the network or at its server, not by ATS.")
        }
        hints += outsideLines
        hints += clients.sentences
        if hasInference {
            hints.append("(inferred): no public source shows this case on a device; it follows from related ones.")
        }
        if hasMask {
            hints.append("*** stands for values that were not recorded, masked- and some letters for names.")
        }
        return hints
    }

    /// What ATS does not govern.
    private var outsideLines: [String] {
        var lines: [String] = []
        if clients.outsideLoads > 0 {
            lines.append(
                "ATS does not govern the clients of \(clients.outsideLoads.loads) (\(clients.outsidePrograms)): not "
                    + "judged; --outside judge judges them as the app.")
        }
        if outside > clients.outsideLoads {
            let others = (outside - clients.outsideLoads).loads
            lines.append("ATS does not govern \(others) that carried other than HTTP or TLS.")
        }
        return lines
    }
}

extension Int {
    /// For example `1 load`.
    fileprivate var loads: String { "\(self) \(self == 1 ? "load" : "loads")" }
}

/// errSSLFatalAlert. Source: Security, SecBase.h; docs/law/errors.md#stream-codes.
private let genericAlert = -9802
