public import ATSPolicy

/// The smallest dictionary that allows every recorded load that a dictionary can help, with the findings of the search.
public struct Suggestion: Sendable {
    /// One entry or global key, with the loads that need it.
    public struct Entry: Sendable, Hashable {
        /// A host, an address, a range, or the name of a global key.
        public let name: String
        /// nil for a global key.
        public let keys: EntryKeys?
        /// The number of loads that are not allowed without it.
        public let lost: Int
        /// The rule that then decides most of them.
        public let rule: RuleID?
        /// A load for which it is unknown whether the entry is needed, if no other load proves it.
        public let doubt: OpenLoad?
    }

    /// Loads that no dictionary can help, or whose result is unknown.
    public struct OpenLoad: Sendable, Hashable {
        public let url: String
        public let host: String
        public let os: String
        public let rule: RuleID?
        public internal(set) var loads: Int
        /// Fixes on the server; empty if the result is unknown.
        public let server: [String]
        /// The reason why the result is unknown; nil if it is known.
        public let why: String?
        /// URL to probe.
        public let origin: String
    }

    /// An entry of the old dictionary that no load needs.
    public struct UnusedEntry: Sendable, Hashable {
        public let entry: String
        public let why: String
    }

    /// A key at the top of the old dictionary that the suggestion does without.
    public struct ReplacedKey: Sendable, Hashable {
        public let name: String
        /// Hosts whose loads needed it.
        public let hosts: [String]
        /// The number of loads for which it is unknown whether they needed it.
        public let unknown: Int
    }

    /// A part of the old dictionary that the suggestion lacks, with the loads that it applied to.
    public struct RemovedPart: Sendable, Hashable {
        /// The name of a global key, or the host of an entry.
        public let name: String
        /// A key of an entry that remains; nil for a whole entry, and for a global key.
        public let key: String?
        /// Line in the file; nil if the format has no lines.
        public let line: Int?
        /// The number of recorded loads that the part applied to.
        public internal(set) var loads = 0
        /// Those of them that passed, and do not pass under the suggestion.
        public internal(set) var lost = 0
        /// Those whose result under the suggestion is unknown.
        public internal(set) var unknown = 0
        /// Hosts of those loads, each once, sorted.
        public internal(set) var hosts: [String] = []

        /// True if recorded loads prove that the part can go: all of them end as before.
        public var isProven: Bool { loads > 0 && lost + unknown == 0 }

        /// `api.example.com NSExceptionMinimumTLSVersion`.
        public var words: String { name + (key.map { " " + $0 } ?? "") }
    }

    public let keys: SuggestedKeys
    public let entries: [Entry]
    public let unused: [UnusedEntry]
    /// In the order of the file, global keys first.
    public let removed: [RemovedPart]
    /// Loads that are blocked under every dictionary.
    public let unfixable: [OpenLoad]
    /// Loads whose result is unknown.
    public let undecided: [OpenLoad]
    /// The number of loads that the suggestion allows, and of all that were judged.
    public let passing: Int
    public let judged: Int
    /// Names of the releases that were judged for, in order.
    public let systems: [String]
    /// NSAllowsArbitraryLoads, if entries replace it.
    public let replaced: ReplacedKey?
    /// Entries of the old dictionary that were copied because they make ATS stricter.
    public let kept: [String]
}
