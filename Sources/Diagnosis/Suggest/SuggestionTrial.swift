import ATSPolicy
import Records

/// One dictionary, tried on recorded loads by judging them again.
struct SuggestionTrial {
    private let declaration: Declaration
    private let rules: Rules
    private var replays: [OSProfile: LoadReplay] = [:]

    /// What all trials share.
    struct Rules: Sendable {
        let switches: JudgeSwitches
        let appTrust: AppTrust
    }

    init(_ keys: SuggestedKeys, by rules: Rules) {
        self.init(keys.declaration, by: rules)
    }

    init(_ declaration: Declaration, by rules: Rules) {
        self.declaration = declaration
        self.rules = rules
    }

    mutating func replay(_ load: EvidenceGroup) -> ReplayedLoad {
        if let known = replays[load.profile] { return known.replay(load.evidence) }
        let judge = Judge(declaration: declaration, profile: load.profile, switches: rules.switches)
        let replay = LoadReplay(judge: judge, appTrust: rules.appTrust)
        replays[load.profile] = replay
        return replay.replay(load.evidence)
    }

    /// How many of the cases at `places` are sure to pass.
    mutating func passing(_ cases: [EvidenceGroup], at places: [Int]) -> Int {
        var count = 0
        for place in places where replay(cases[place]).passes { count += 1 }
        return count
    }
}

extension ReplayedLoad {
    /// ATS has nothing against it. What fails for reasons of its own does so under every dictionary.
    var passes: Bool {
        switch verdict {
        case .allowed, .outside: true
        case .failed: rule?.category != .tls
        case .blocked, .undecidable: false
        }
    }
}
