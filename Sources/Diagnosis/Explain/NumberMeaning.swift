public import ATSPolicy

/// One possible meaning of a number, on the releases that show it.
public struct NumberMeaning: Sendable, Hashable {
    /// The codes as a console writes them: `-1200 [3:-9802]`.
    public let shown: String
    /// `iOS 9 to 11`, `iOS 12 and later`, `every release`; the corresponding macOS releases show the same.
    public let releases: String
    /// The failure.
    public let what: String
    /// Cases of that failure, for example the alerts.
    public let details: [String]
    /// The rules whose findings report it.
    public let rules: [RuleID]
    /// How certain the numbers are, each once.
    public let confidence: [Confidence]
    /// The lines of those releases; of several details, those of the first.
    public let console: [ConsoleExcerpt]

    /// Every failure on every release whose error satisfies `isWanted`.
    static func all(where isWanted: (AppleError) -> Bool) -> [NumberMeaning] {
        var drafts: [Draft] = []
        for known in KnownFailure.all {
            for (place, profile) in releaseProfiles.enumerated() {
                let error = known.error(on: profile)
                guard isWanted(error) else { continue }
                drafts.add(known, error, at: place)
            }
        }
        return drafts.merged.map(\.meaning)
    }

    /// Majors of iOS and the newest release; the corresponding macOS releases show the same.
    static let releaseProfiles = ([Int](9...18) + [26]).compactMap { OSProfile.named("ios\($0)") } + [.newest]

    /// Names of releases, for indices into ``releaseProfiles``.
    static func words(_ places: [Int]) -> String {
        guard let first = places.first, let last = places.last else { return "no release" }
        let titles = releaseProfiles.map(\.title)
        if places.count == titles.count { return "every release" }
        guard places == Array(first...last) else { return places.map { titles[$0] }.joined(separator: ", ") }
        if last == titles.count - 1 { return "\(titles[first]) and later" }
        if first == last { return titles[first] }
        return "\(titles[first]) \(last == first + 1 ? "and" : "to") \(titles[last].dropFirst("iOS ".count))"
    }
}

/// A meaning that is being built.
private struct Draft {
    let known: KnownFailure
    let shown: String
    let what: String
    var places: [Int]
    var details: [String]
    var rules: [RuleID]
    var confidence: [Confidence]

    var meaning: NumberMeaning {
        NumberMeaning(
            shown: shown, releases: NumberMeaning.words(places), what: what, details: details, rules: rules,
            confidence: confidence, console: ConsoleExcerpt.all(of: known, at: places))
    }
}

extension [Draft] {
    /// Groups the releases on which a failure shows the same codes.
    fileprivate mutating func add(_ known: KnownFailure, _ error: AppleError, at place: Int) {
        let details = [known.detail].compactMap(\.self)
        let index = lastIndex { draft in
            draft.shown == error.codes && draft.what == known.what && draft.details == details
                && draft.rules == known.rules
        }
        guard let index else {
            return append(
                Draft(
                    known: known, shown: error.codes, what: known.what, places: [place], details: details,
                    rules: known.rules,
                    confidence: [error.confidence]))
        }
        self[index].places.append(place)
        if !self[index].confidence.contains(error.confidence) { self[index].confidence.append(error.confidence) }
    }

    /// Merges failures of a kind that show the same codes on the same releases.
    fileprivate var merged: [Draft] {
        reduce(into: []) { merged, draft in
            let index = merged.firstIndex {
                $0.shown == draft.shown && $0.what == draft.what && $0.places == draft.places
            }
            guard let index else { return merged.append(draft) }
            merged[index].details += draft.details.filter { !merged[index].details.contains($0) }
            merged[index].rules += draft.rules.filter { !merged[index].rules.contains($0) }
            merged[index].confidence += draft.confidence.filter { !merged[index].confidence.contains($0) }
        }
    }
}

extension KnownFailure {
    /// The error that a device of that release would report for a load of an example.
    func error(on profile: OSProfile) -> AppleError {
        let scheme: LoadTarget.Scheme = failure == .cleartext ? .http : .https
        let target = LoadTarget(scheme: scheme, host: "api.example.com", port: scheme.defaultPort)
        return AppleErrorTable.error(
            for: failure, target: target, urlText: target.origin + "/", profile: profile, facts: nil,
            identifiers: LogIdentifiers(task: "UUID", taskIndex: 1, connection: 1))
    }
}
