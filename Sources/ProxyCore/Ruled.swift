import ATSPolicy
import Records

/// The law's answer for one target.
final class Ruled {
    let system: SystemPolicy
    let target: LoadTarget
    let loader: Loader
    let ruling: Ruling
    let policy: PolicyCard
    /// It is the gate's own address.
    let isOwn: Bool

    init(
        system: SystemPolicy, target: LoadTarget, loader: Loader, ruling: Ruling, policy: PolicyCard, isOwn: Bool
    ) {
        self.system = system
        self.target = target
        self.loader = loader
        self.ruling = ruling
        self.policy = policy
        self.isOwn = isOwn
    }

    var isPermit: Bool {
        if case .permit = ruling { true } else { false }
    }
}

/// The law's answers that loads of one loop got last. Those of other connections share them with all that hangs on them,
/// for finding one costs less than making it, and records of one answer have one policy card.
struct RulingMemory {
    private struct Question: Hashable {
        let system: ObjectIdentifier
        let target: LoadTarget
        let loader: Loader
    }

    private var answers: [Question: Ruled] = [:]

    /// - Parameters:
    ///   - system: of `policy`, the one in force.
    mutating func ruled(
        on target: LoadTarget, from loader: Loader, under system: SystemPolicy, of policy: GatePolicy
    ) -> Ruled {
        // The answer holds its system, so that no other one can get its identity.
        let question = Question(system: ObjectIdentifier(system), target: target, loader: loader)
        if let known = answers[question] { return known }
        let ruling = system.judge.rule(on: target, loader: loader)
        let declaration = system.judge.declaration
        let ruled = Ruled(
            system: system, target: target, loader: loader, ruling: ruling,
            policy: PolicyCard(
                source: declaration.source, bundleID: declaration.bundleID, os: system.profileName,
                basis: ruling.basis, line: ruling.basis.keyPath.flatMap { declaration.line(of: $0) },
                mode: policy.mode.rawValue),
            isOwn: policy.owns(target))
        if answers.count >= Self.limit { answers.removeAll(keepingCapacity: true) }
        answers[question] = ruled
        return ruled
    }

    /// Answers that are remembered at most. Each keeps its system alive.
    private static let limit = 1_024
}
