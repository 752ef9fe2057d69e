public import ATSPolicy
public import Records

/// A replay for each release, under one dictionary.
public struct SystemReplays: Sendable {
    private let declaration: Declaration
    private let switches: JudgeSwitches
    private let appTrust: AppTrust
    private let isFixed: Bool
    /// In the order of the requested releases, or in the order in which releases first occurred.
    public private(set) var all: [RecordingReplay] = []

    /// - Parameter systems: the releases to judge every load by; empty for each load's own.
    public init(_ declaration: Declaration, switches: JudgeSwitches, appTrust: AppTrust, systems: [OSProfile]) {
        self.declaration = declaration
        self.switches = switches
        self.appTrust = appTrust
        isFixed = !systems.isEmpty
        for system in systems { begin(system) }
    }

    /// Adds loads; those of an unknown release are left out.
    public mutating func add(_ group: LoadGroup) {
        guard let system = group.system else { return }
        if !isFixed, !all.contains(where: { $0.profile == system }) { begin(system) }
        for index in all.indices where isFixed || all[index].profile == system { all[index].add(group) }
    }

    private mutating func begin(_ system: OSProfile) {
        let judge = Judge(declaration: declaration, profile: system, switches: switches)
        all.append(RecordingReplay(LoadReplay(judge: judge, appTrust: appTrust)))
    }
}
