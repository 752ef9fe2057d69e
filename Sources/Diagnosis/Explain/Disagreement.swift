public import ATSPolicy

/// A load on which the sources of the ATS rules disagree: another reading gives another ruling.
public struct Disagreement: Sendable, Hashable {
    /// The settings that select the other reading.
    public let settings: [SwitchSetting]
    /// The contradiction in docs/contradictions.md, or a topic of docs/law.
    public let source: String
    /// The ruling under the other reading.
    public let isPermitted: Bool
    public let change: Change

    /// The settings in the form of the command line.
    public var option: String { settings.map(\.option).joined(separator: " ") }

    /// The most important change under the other reading.
    public enum Change: Sendable, Hashable {
        case ruling
        /// The requirements for TLS.
        case demands
        /// The error code of a failure.
        case number
        /// The console lines of a failure.
        case lines
    }

    /// Sentences for `explain`, each with a full stop: one for each other ruling, and one for all settings with the
    /// same smaller change.
    static func sentences(_ disagreements: [Disagreement]) -> [String] {
        let rulings = disagreements.filter { $0.change == .ruling }.map {
            "With \($0.option) the load is \($0.isPermitted ? "allowed" : "blocked") (\($0.source))."
        }
        let others = [
            (Change.demands, "the TLS requirements differ"), (.number, "a failure has another error code"),
            (.lines, "the console lines differ"),
        ].compactMap { change, words -> String? in
            let options = disagreements.filter { $0.change == change }.map { "\($0.option) (\($0.source))" }
            guard let last = options.last else { return nil }
            let list = options.count == 1 ? last : options.dropLast().joined(separator: ", ") + " or " + last
            return "With \(list) \(words)."
        }
        return rulings + others
    }

    /// Every reading that changes a ruling, found by ruling once under each.
    static func all(over ruling: Ruling, by judge: Judge) -> [Disagreement] {
        let outcome = RulingSummary(ruling)
        let errors = judge.disputedErrors(for: ruling)
        var found: [Disagreement] = []
        for reading in judge.switches.otherReadings(on: judge.system) {
            // The words of a built-in entry already state this.
            if reading.isAboutBuiltIn, ruling.basis.isBuiltIn { continue }
            let other = Judge(declaration: judge.declaration, profile: judge.system, switches: reading.switches)
            let otherRuling = other.rule(on: ruling.target, loader: ruling.loader)
            let answer = RulingSummary(otherRuling)
            let isAlike = answer.isAlike(outcome)
            let otherErrors = isAlike ? other.disputedErrors(for: otherRuling) : []
            guard !isAlike || otherErrors != errors else { continue }
            // Two switches together are listed only if neither is sufficient.
            let isTold = found.contains {
                $0.isPermitted == answer.isPermitted && reading.settings.suffix($0.settings.count) == $0.settings[...]
            }
            guard !isTold else { continue }
            let change: Change =
                if answer.isPermitted != outcome.isPermitted {
                    .ruling
                } else if !isAlike {
                    .demands
                } else {
                    otherErrors.map(\.streamErrorCode) != errors.map(\.streamErrorCode) ? .number : .lines
                }
            found.append(
                Disagreement(
                    settings: reading.settings, source: reading.source, isPermitted: answer.isPermitted,
                    change: change))
        }
        return found
    }
}

/// The result of a ruling, for comparing two of them.
struct RulingSummary: Sendable, Hashable {
    let isPermitted: Bool
    let step: RulingBasis.Step
    let keyPath: String?
    let entry: String?
    let demands: TLSDemands?
    let offer: TLSOffer?

    init(_ ruling: Ruling) {
        step = ruling.basis.step
        keyPath = ruling.basis.keyPath
        entry = ruling.basis.entry
        switch ruling {
        case .permit(let permit):
            isPermitted = true
            demands = permit.demands.map(Self.sorted)
            offer = permit.offer.map(Self.sorted)
        case .denial:
            isPermitted = false
            demands = nil
            offer = nil
        }
    }

    /// The order of suites, and groups and signature algorithms, affect only the server's choice, so releases that differ
    /// in them are alike.
    private static func sorted(_ demands: TLSDemands) -> TLSDemands {
        var demands = demands
        demands.suites.sort { $0.code < $1.code }
        return demands
    }

    private static func sorted(_ offer: TLSOffer) -> TLSOffer {
        var offer = offer
        offer.suites.sort { $0.code < $1.code }
        offer.shape = nil
        return offer
    }

    /// True if the results are equal, regardless of the reasons.
    func isAlike(_ other: RulingSummary) -> Bool {
        isPermitted == other.isPermitted && demands == other.demands && offer == other.offer
    }
}

extension Judge {
    /// The errors of the load whose codes or lines are disputed: blocked cleartext; alert 40 (C14); and an untrusted
    /// root that the server sends, without strict trust (C15).
    fileprivate func disputedErrors(for ruling: Ruling) -> [AppleError] {
        let failures: [LoadFailure]
        switch ruling {
        case .denial: failures = [.cleartext]
        case .permit(let permit) where permit.offer != nil:
            let isStrict = permit.demands?.strictTrust ?? false
            failures = [.handshake(.alertReceived(40), rule: nil), .trust(.untrustedRoot, isStrict: isStrict)]
        case .permit: failures = []
        }
        return failures.map {
            AppleErrorTable.error(
                for: $0, target: ruling.target, urlText: "", profile: profile, facts: nil,
                identifiers: LogIdentifiers(task: "", taskIndex: 0, connection: 0), readings: switches.apple)
        }
    }
}

extension Ruling {
    var target: LoadTarget {
        switch self {
        case .permit(let permit): permit.target
        case .denial(let denial): denial.target
        }
    }

    var loader: Loader {
        switch self {
        case .permit(let permit): permit.loader
        case .denial(let denial): denial.loader
        }
    }
}

extension OtherReading {
    fileprivate var isAboutBuiltIn: Bool { settings.contains { $0.name == "built-in-exceptions" } }
}
