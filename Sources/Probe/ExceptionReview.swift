public import ATSPolicy

/// The entries of a dictionary, each asked for by taking it away, and the dictionary without what nothing needs.
public struct ExceptionReview: Sendable {
    public let system: OSProfile
    /// In the order of the file.
    public internal(set) var needs: [ExceptionNeed] = []
    /// What is left of the dictionary.
    public internal(set) var cleaned: Declaration

    init(_ declaration: Declaration, system: OSProfile) {
        self.system = system
        cleaned = declaration
    }

    /// Something can be taken out.
    public var isCleaner: Bool { needs.contains { $0.needed == .no || $0.needed == .partly } }

    /// Of something nobody knows.
    public var isUncertain: Bool { needs.contains { $0.needed == .unknown } }
}

extension Prober {
    /// Takes each entry away and looks whether its hosts still pass. Entries that an earlier one's going changes are
    /// looked at again without that one, so that the cleaned dictionary holds as a whole.
    ///
    /// - Parameters:
    ///   - jobs: so many entries at a time.
    ///   - known: hosts that the app loads from, beside those that entries name: they tell of subdomains and ranges.
    ///   - progress: hears how many entries are done.
    public func review(
        _ judge: Judge, loader: Loader = .app, known: [LoadTarget] = [], jobs: Int = 8,
        progress: @escaping @Sendable (_ done: Int, _ all: Int) -> Void = { _, _ in }
    ) async -> ExceptionReview {
        var review = ExceptionReview(judge.declaration, system: judge.system)
        let entries = judge.declaration.entries
        let hosts = known + entries.compactMap { Self.target(of: $0.key) }
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
            let need = current.situation == trials[index].situation ? first[index] : await current.need()
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

    /// nil for a range of addresses, and for what is no host.
    private static func target(of key: String) -> LoadTarget? {
        (try? ProbeTarget(key)).flatMap { key.contains("/") ? nil : $0.target }
    }
}
