public import ATSPolicy
public import Records

/// The same recorded loads on every system that has a profile, under one dictionary: what would end in another way.
public struct SystemMatrix: Sendable {
    /// How the loads of one origin end on one system.
    public struct Cell: Sendable, Hashable {
        /// The worst of them.
        public let verdict: ReplayVerdict
        /// The deciding rule.
        public let rule: RuleID?
        /// Why nobody knows; nil where somebody does.
        public let why: String?
    }

    /// One origin; as many cases as ``SystemMatrix/systems``.
    public struct Row: Sendable {
        /// `SCHEME://HOST:PORT` as an origin is written.
        public let origin: String
        public let cells: [Cell]

        /// It ends differently somewhere, or does not pass.
        public var isTelling: Bool { Set(cells.map(\.verdict)).count > 1 || cells.first?.verdict != .allowed }
    }

    /// In the order of ``OSProfile/all``.
    public let systems: [OSProfile]
    /// In the order in which origins were first met.
    public let rows: [Row]

    /// - Parameter loads: with alike ones once; what ATS does not govern is left out.
    public init(_ declaration: Declaration, switches: JudgeSwitches, loads: [LoadEvidence]) {
        let systems = OSProfile.all
        let replays = systems.map {
            LoadReplay(judge: Judge(declaration: declaration, profile: $0, switches: switches))
        }
        var order: [String] = []
        var byOrigin: [String: [LoadEvidence]] = [:]
        for load in loads where load.verdict != .outside {
            if byOrigin[load.target.origin] == nil { order.append(load.target.origin) }
            byOrigin[load.target.origin, default: []].append(load)
        }
        self.systems = systems
        rows = order.map { origin in
            let loads = byOrigin[origin] ?? []
            return Row(origin: origin, cells: replays.map { replay in Self.worst(loads.map { replay.replay($0) }) })
        }
    }

    private static func worst(_ answers: [ReplayedLoad]) -> Cell {
        let order: [ReplayVerdict] = [.blocked, .undecidable, .failed, .allowed, .outside]
        for verdict in order {
            if let answer = answers.first(where: { $0.verdict == verdict }) {
                return Cell(verdict: verdict, rule: verdict == .allowed ? nil : answer.rule, why: answer.why)
            }
        }
        return Cell(verdict: .outside, rule: nil, why: nil)
    }
}
