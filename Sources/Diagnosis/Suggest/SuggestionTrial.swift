import ATSPolicy
import Records

/// Tries one dictionary on recorded loads by judging them again.
struct SuggestionTrial {
    private let declaration: Declaration
    private let rules: Rules
    private var replays: [OSProfile: LoadReplay] = [:]

    /// Options that all trials share.
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

    /// - Parameter load: of a known release; ``Suggester/add(_:)`` leaves out others.
    mutating func replay(_ load: LoadGroup) -> ReplayedLoad {
        let system = load.system ?? .newest
        if let known = replays[system] { return known.replay(load.first) }
        let judge = Judge(declaration: declaration, profile: system, switches: rules.switches)
        let replay = LoadReplay(judge: judge, appTrust: rules.appTrust)
        replays[system] = replay
        return replay.replay(load.first)
    }

    /// The number of cases at `places` that certainly pass.
    mutating func passing(_ cases: [LoadGroup], at places: [Int]) -> Int {
        var count = 0
        for place in places where replay(cases[place]).passes { count += 1 }
        return count
    }
}

extension ReplayedLoad {
    /// True if ATS does not block the load. A load that fails for other reasons does so under every dictionary.
    var passes: Bool {
        switch verdict {
        case .allowed, .outside: true
        case .failed: rule?.category != .tls
        case .blocked, .undecidable: false
        }
    }
}
