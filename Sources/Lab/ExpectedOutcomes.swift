import ATSPolicy

/// The expected outcomes of an origin on every release. They come from the tables of docs/law, not from the rules under
/// test.
struct ExpectedOutcomes: Sendable {
    /// The outcome from an iOS release on, or from the corresponding release of another system.
    struct Stage: Sendable {
        let since: OSVersion
        let outcome: ExpectedOutcome

        init(_ since: OSVersion, _ outcome: ExpectedOutcome) {
            self.since = since
            self.outcome = outcome
        }
    }

    /// Oldest first; the first one applies from iOS 9.
    private let stages: [Stage]
    /// The stages under a root that the user installed, if less is required there.
    private var userStages: [Stage]?
    /// The stages with a list of the lab's logs, if more is detected with it.
    private var listedStages: [Stage]?

    private init(_ stages: [Stage]) {
        self.stages = stages
    }

    /// The same outcome on every release.
    static func always(_ outcome: ExpectedOutcome) -> ExpectedOutcomes { ExpectedOutcomes([Stage(.first, outcome)]) }

    /// One outcome before a release, another from it on.
    static func before(_ release: OSVersion, _ early: ExpectedOutcome, then late: ExpectedOutcome) -> ExpectedOutcomes {
        ExpectedOutcomes([Stage(.first, early), Stage(release, late)])
    }

    /// Returns a copy with other outcomes under a root that the user installed.
    func underUserRoot(_ other: ExpectedOutcomes) -> ExpectedOutcomes {
        var outcomes = self
        outcomes.userStages = other.stages
        return outcomes
    }

    /// Returns a copy with other outcomes if the gate has a list of the lab's logs. Applies under a root of the system:
    /// no timestamps are required under others.
    func withLogs(_ other: ExpectedOutcomes) -> ExpectedOutcomes {
        var outcomes = self
        outcomes.listedStages = other.stages
        return outcomes
    }

    /// The outcomes with too few timestamps: only a warning unless a list of logs is given
    /// (docs/law/transparency.md#list-of-logs). Source: Apple support 103769; docs/law/transparency.md#system-rule.
    /// macOS 10.14.2 and .3 require them too, but count as iOS 12.1 here (docs/law/profiles.md#darwin).
    static let untransparent = always(.allowed).withLogs(
        before(OSVersion(12, 1, 1), .allowed, then: .chain(.certificateTransparency)))

    /// TLS 1.3 only, which is on by default from 12.2: before that, the origin answers with alert 70. Source: Apple,
    /// macOS 26 release notes; coreTLS, sslAlertMessage.c; docs/law/tls.md#system-floor, docs/law/errors.md#alerts.
    static let tls13Only = before(OSVersion(12, 2), .alert(70), then: .allowed)

    /// A rule of the system since iOS 13. Source: Apple support 103769; docs/law/transparency.md#system-rule.
    static func since13(_ rule: RuleID) -> ExpectedOutcomes { before(OSVersion(13), .allowed, then: .chain(rule)) }

    /// - Parameter isListed: true if the gate has a list of the lab's logs.
    func expectation(on profile: OSProfile, root: LabRoot, isListed: Bool) -> LabExpectation {
        let generation = profile.release.generation
        let special = root == .user ? userStages : isListed ? listedStages : nil
        let stages = special ?? self.stages
        let outcome = stages.last { $0.since <= generation }?.outcome ?? .allowed
        return outcome.expectation(generation)
    }
}

extension OSVersion {
    /// The first release with ATS.
    fileprivate static let first = OSVersion(9)
}
