public import ATSPolicy
public import Records

/// The results of the same recorded loads on every known release, under one dictionary.
public struct SystemMatrix: Sendable {
    /// The result of one origin's loads on one release.
    public struct Cell: Sendable, Hashable {
        /// The worst verdict of the loads.
        public let verdict: ReplayVerdict
        /// The deciding rule.
        public let rule: RuleID?
        /// The reason why the result is unknown; nil if it is known.
        public let why: String?
    }

    /// One origin, with a cell for each of ``SystemMatrix/systems``.
    public struct Row: Sendable {
        /// `SCHEME://HOST:PORT`.
        public let origin: String
        public let cells: [Cell]

        /// True if the result differs between releases, or is not allowed.
        public var isTelling: Bool { Set(cells.map(\.verdict)).count > 1 || cells.first?.verdict != .allowed }
    }

    /// In the order of ``OSProfile/all``.
    public let systems: [OSProfile]
    /// In the order in which origins first occurred.
    public let rows: [Row]

    /// - Parameter loads: loads outside of ATS and those of unknown releases are left out.
    public init(_ declaration: Declaration, switches: JudgeSwitches, loads: [LoadGroup]) {
        let systems = OSProfile.all
        let replays = systems.map {
            LoadReplay(judge: Judge(declaration: declaration, profile: $0, switches: switches))
        }
        var order: [String] = []
        var byOrigin: [String: [LoadRecord]] = [:]
        var seen: Set<LoadGroup.Key> = []
        for group in loads where group.first.verdict != .outside && group.system != nil {
            if let key = group.key, !seen.insert(key).inserted { continue }
            if byOrigin[group.target.origin] == nil { order.append(group.target.origin) }
            byOrigin[group.target.origin, default: []].append(group.first)
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
