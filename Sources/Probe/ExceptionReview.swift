public import ATSPolicy
import Diagnosis

/// The entries of a dictionary, each tested by removing it, and the dictionary without entries and keys that are not
/// needed.
public struct ExceptionReview: Sendable {
    public let system: OSProfile
    /// In the order of the file.
    public internal(set) var needs: [ExceptionNeed] = []
    /// The cleaned dictionary.
    public internal(set) var cleaned: Declaration

    init(_ declaration: Declaration, system: OSProfile) {
        self.system = system
        cleaned = declaration
    }

    /// True if something can be removed.
    public var canBeReduced: Bool { needs.contains { $0.needed == .no || $0.needed == .partly } }

    /// True if the need of an entry is unknown.
    public var isUncertain: Bool { needs.contains { $0.needed == .unknown } }
}

extension Prober {
    /// Removes each entry for a trial and checks whether its hosts are still allowed. Entries whose situation changes
    /// with an earlier removal are tested again, so that the cleaned dictionary works as a whole. Nothing is removed
    /// without which a load would be permitted that was blocked, or have weaker requirements.
    ///
    /// NSAllowsArbitraryLoads comes first: hosts without an entry need it.
    ///
    /// - Parameters:
    ///   - jobs: number of entries that are tested concurrently.
    ///   - known: hosts that the app loads from, in addition to those of entries: they are needed to test subdomains
    ///     and ranges.
    ///   - progress: called with the number of tested entries.
    public func review(
        _ judge: Judge, loader: Loader = .app, known: [LoadTarget] = [], jobs: Int = 8,
        progress: @escaping @Sendable (_ done: Int, _ all: Int) -> Void = { _, _ in }
    ) async -> ExceptionReview {
        var review = ExceptionReview(judge.declaration, system: judge.system)
        let entries = judge.declaration.entries
        let hosts = known + entries.compactMap { Self.target(of: $0.key) }
        if let need = await ArbitraryLoadsTrial(self, judge, loader: loader)?.need(of: known) {
            review.needs.append(need)
            if need.needed == .no { review.cleaned = judge.declaration.withoutArbitraryLoads }
        }
        func trial(_ entry: PropertyMember, _ judge: Judge) -> EntryTrial {
            EntryTrial(self, entry, among: hosts, judge, loader: loader)
        }
        let trials = entries.map { trial($0, judge) }
        var done = 0
        let first = await workInOrder(on: trials, jobs: jobs) {
            await $0.need()
        } done: { _ in
            done += 1
            progress(done, entries.count)
        }
        for (index, entry) in entries.enumerated() {
            let current = trial(entry, judge.under(review.cleaned))
            let found =
                current.alternativeEntries == trials[index].alternativeEntries ? first[index] : await current.need()
            let need = found.keeping(judge.under(review.cleaned), entry)
            switch need.needed {
            case .yes, .unknown: break
            case .no: review.cleaned = review.cleaned.removing(entry: entry.key)
            case .partly:
                for key in need.needless { review.cleaned = review.cleaned.removing(key, ofEntry: entry.key) }
            }
            review.needs.append(need)
        }
        return review
    }

    /// nil for a range of addresses, and for a key that is not a host.
    private static func target(of key: String) -> LoadTarget? {
        (try? ProbeTarget(key)).flatMap { key.contains("/") ? nil : $0.target }
    }
}

extension ExceptionNeed {
    /// The need without removals that would loosen a load under the dictionary as it is now: an entry without keys may
    /// still keep ATS on for its hosts.
    fileprivate func keeping(_ judge: Judge, _ entry: PropertyMember) -> ExceptionNeed {
        let hosts = Declaration.sampleHosts(ofEntry: entry.key)
        func loosens(_ rest: Declaration) -> Bool { judge.under(rest).isLooser(than: judge, for: hosts) }
        let isWhole = needed == .no
        guard isWhole ? loosens(judge.declaration.removing(entry: self.entry)) : needed == .partly else { return self }
        let rest = needless.filter { !loosens(judge.declaration.removing($0, ofEntry: self.entry)) }
        if needed == .partly, rest == needless { return self }
        let reason = isWhole ? "the entry makes ATS stricter for its hosts; \(why)" : why
        return rest.isEmpty
            ? ExceptionNeed(self.entry, .yes, reason) : ExceptionNeed(self.entry, .partly, reason, needless: rest)
    }
}
