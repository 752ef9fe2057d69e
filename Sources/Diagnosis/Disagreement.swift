import ATSPolicy

/// A load on which the sources of the law disagree: another reading gives another answer.
public struct Disagreement: Sendable, Hashable {
    /// The switch to flip, as on the command line.
    public let option: String
    /// The contradiction of `ats-semantics.md` section 11, or the section itself.
    public let source: String
    /// The answer under that reading.
    public let isPermitted: Bool
    /// The answer itself is another one; otherwise only what is asked of TLS is.
    public let changesRuling: Bool

    /// For `explain`, with a full stop.
    public var sentence: String {
        let answer = isPermitted ? "permit" : "deny"
        return changesRuling
            ? "With \(option) the ruling is \(answer) (\(source))."
            : "With \(option) other things are asked of TLS (\(source))."
    }

    /// Every reading that changes a ruling, by asking a judge of each.
    static func all(over ruling: Ruling, by judge: Judge) -> [Disagreement] {
        let outcome = Outcome(ruling)
        var found: [Disagreement] = []
        for reading in judge.switches.otherReadings(on: judge.profile) {
            // That an entry is built in is told already.
            if reading.isAboutBuiltIn, ruling.basis.isBuiltIn { continue }
            let other = Judge(declaration: judge.declaration, profile: judge.profile, switches: reading.switches)
            let answer = Outcome(other.rule(on: ruling.target, loader: ruling.loader))
            guard !answer.isAlike(outcome) else { continue }
            // Two switches are worth telling only where one of them does not do.
            let isTold = found.contains { reading.option.hasSuffix($0.option) && $0.isPermitted == answer.isPermitted }
            guard !isTold else { continue }
            found.append(
                Disagreement(
                    option: reading.option, source: reading.source, isPermitted: answer.isPermitted,
                    changesRuling: answer.isPermitted != outcome.isPermitted))
        }
        return found
    }
}

/// What a ruling comes to, for comparing two of them.
struct Outcome: Sendable, Hashable {
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
            demands = permit.demands
            offer = permit.offer
        case .denial:
            isPermitted = false
            demands = nil
            offer = nil
        }
    }

    /// The same answer, whatever the way to it.
    func isAlike(_ other: Outcome) -> Bool {
        isPermitted == other.isPermitted && demands == other.demands && offer == other.offer
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
    fileprivate var isAboutBuiltIn: Bool { option.hasPrefix("--built-in-exceptions") }
}
