import ATSPolicy
import Records
import Text

/// The end of a text report: explanations of the table.
struct ReportHints: Sendable {
    private var wouldBlock = 0
    /// Loads in witness mode.
    private var witnessed = 0
    private var outside = 0
    /// Loads whose origin a proxy hid, and the way to see it.
    private var decrypted = 0
    private var wayOut: String?
    private var clients = ClientNotes()
    private var hasGenericAlert = false
    private var hasFailure = false
    private var failsOnDevice = 0
    private var leavesRefused = 0
    private var hasInference = false
    private var hasMask = false

    /// Adds similar loads.
    mutating func add(_ load: LoadRecord, loads: Int) {
        let verdict = load.verdict
        if load.policy.mode == RecordingOverview.Mode.witness.rawValue {
            witnessed += loads
        } else if verdict == .wouldBlock {
            wouldBlock += loads
        }
        if verdict == .outside { outside += loads }
        if verdict == .outside, load.rule == .netDecrypted {
            decrypted += loads
            wayOut = wayOut ?? load.diagnosis?.remedy?.sentences.first
        }
        clients.add(load, loads: loads)
        if verdict == .failed { addFailure(load.rule, loads) }
        if load.diagnosis?.apple?.streamErrorCode == genericAlert { hasGenericAlert = true }
        if verdict != .outside, load.diagnosis?.findings.first?.confidence == .inferred { hasInference = true }
        if !load.masked.isEmpty { hasMask = true }
    }

    private mutating func addFailure(_ rule: RuleID?, _ loads: Int) {
        if rule == .clientRejectedLeaf {
            leavesRefused += loads
        } else if rule?.category == .tls {
            failsOnDevice += loads
        } else {
            hasFailure = true
        }
    }

    /// The hints that apply; empty if there are none.
    func text(colours: TerminalColours) -> String {
        let hints = lines
        guard !hints.isEmpty else { return "" }
        return "\n" + colours.strong("HINTS") + "\n" + hints.map { "  - \($0)\n" }.joined()
    }

    /// The hints, a sentence each.
    var lines: [String] {
        var hints: [String] = []
        if hasGenericAlert {
            hints.append("-9802 is the catch-all TLS error of a device; the rule names the cause.")
        }
        if wouldBlock > 0 {
            hints.append("Audit mode let \(wouldBlock.loads) through that a device would block.")
        }
        if witnessed > 0 {
            hints.append(
                "Witness mode blocked nothing and decrypted no TLS: the verdicts of \(witnessed.loads) are "
                    + "predictions. `device` in each record is what the device did.")
        }
        if leavesRefused > 0 {
            hints.append(
                "The client rejected the gate's certificate for \(leavesRefused.loads). Install the CA that atsgate ca "
                    + "export writes; for an app that pins its server, use --passthrough HOST.")
        }
        if failsOnDevice > 0 {
            hints.append(
                "Not because of ATS, \(failsOnDevice.loads) failed that also fail on a device. See: atsgate probe HOST")
        }
        if hasFailure {
            hints.append("The cause of a failed load is the network or the server, not ATS.")
        }
        hints += outsideLines
        hints += clients.sentences
        if hasInference {
            hints.append("(inferred): no public source shows this case on a device; it is derived from related cases.")
        }
        if hasMask {
            hints.append("*** replaces values that were not recorded; masked- and some letters replace names.")
        }
        return hints
    }

    /// The loads that ATS does not govern.
    private var outsideLines: [String] {
        var lines: [String] = []
        if decrypted > 0 {
            lines.append(
                "Not judged: \(decrypted.loads), because a proxy after the gate decrypts the connection and hides the "
                    + "server. \(wayOut ?? "")")
        }
        if clients.outsideLoads > 0 {
            lines.append(
                "Not judged: \(clients.outsideLoads.loads) of clients that ATS does not govern "
                    + "(\(clients.outsidePrograms)). To judge them as the app: --outside judge")
        }
        if outside > clients.outsideLoads + decrypted {
            let others = (outside - clients.outsideLoads - decrypted).loads
            lines.append("Not judged: \(others) outside ATS, which carried neither HTTP nor TLS.")
        }
        return lines
    }
}

/// errSSLFatalAlert. Source: Security, SecBase.h; docs/law/errors.md#stream-codes.
private let genericAlert = -9802
