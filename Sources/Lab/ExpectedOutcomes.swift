import ATSPolicy

/// What should happen to an origin on every system: data from the tables of docs/law, not from the rules that
/// it is there to try.
struct ExpectedOutcomes: Sendable {
    /// What holds from an iOS release on, or from the release beside it.
    struct Stage: Sendable {
        let since: OSVersion
        let outcome: ExpectedOutcome

        init(_ since: OSVersion, _ outcome: ExpectedOutcome) {
            self.since = since
            self.outcome = outcome
        }
    }

    /// Oldest first; the first one is that of iOS 9.
    private let stages: [Stage]
    /// Where less is asked under a root that the user installed.
    private var userStages: [Stage]?
    /// Where more is seen with a list of the lab's logs.
    private var listedStages: [Stage]?

    private init(_ stages: [Stage]) {
        self.stages = stages
    }

    /// The same on every system.
    static func always(_ outcome: ExpectedOutcome) -> ExpectedOutcomes { ExpectedOutcomes([Stage(.first, outcome)]) }

    /// One thing before a release, another from it on.
    static func before(_ release: OSVersion, _ early: ExpectedOutcome, then late: ExpectedOutcome) -> ExpectedOutcomes {
        ExpectedOutcomes([Stage(.first, early), Stage(release, late)])
    }

    /// The same, with something else under a root that the user installed.
    func underUserRoot(_ other: ExpectedOutcomes) -> ExpectedOutcomes {
        var outcomes = self
        outcomes.userStages = other.stages
        return outcomes
    }

    /// The same, with something else where the gate has a list of the lab's logs: under a root of the system, because
    /// no timestamps are asked for under others.
    func withLogs(_ other: ExpectedOutcomes) -> ExpectedOutcomes {
        var outcomes = self
        outcomes.listedStages = other.stages
        return outcomes
    }

    /// Without enough timestamps: only warned about as long as no list of logs is given
    /// (docs/law/transparency.md#list-of-logs). Source: Apple support 103769; docs/law/transparency.md#system-rule.
    /// macOS 10.14.2 and .3 demand them, too, and count as iOS 12.1 here (docs/law/profiles.md#darwin).
    static let untransparent = always(.allowed).withLogs(
        before(OSVersion(12, 1, 1), .allowed, then: .chain(.certificateTransparency)))

    /// Only TLS 1.3, which is on by default from 12.2: before it the origin answers with alert 70. Source: Apple, macOS
    /// 26 release notes; coreTLS, sslAlertMessage.c; docs/law/tls.md#system-floor, docs/law/errors.md#alerts.
    static let tls13Only = before(OSVersion(12, 2), .alert(70), then: .allowed)

    /// A rule of the system since iOS 13. Source: Apple support 103769; docs/law/transparency.md#system-rule.
    static func since13(_ rule: RuleID) -> ExpectedOutcomes { before(OSVersion(13), .allowed, then: .chain(rule)) }

    /// - Parameter isListed: whether the gate has a list of the lab's logs.
    func expectation(on profile: OSProfile, root: LabRoot, isListed: Bool) -> LabExpectation {
        let generation = profile.release.generation
        let special = root == .user ? userStages : isListed ? listedStages : nil
        let stages = special ?? self.stages
        let outcome = stages.last { $0.since <= generation }?.outcome ?? .allowed
        return outcome.expectation(generation)
    }
}

extension OSVersion {
    /// Where ATS began.
    fileprivate static let first = OSVersion(9)
}
