public import ATSPolicy

/// The smallest dictionary under which every recorded load passes that a dictionary can help, and what was found on the
/// way to it.
public struct Suggestion: Sendable {
    /// One entry, or global key, with what it is for.
    public struct Entry: Sendable, Hashable {
        /// A host, an address, a range, or the name of a global key.
        public let name: String
        /// nil for a global key.
        public let keys: EntryKeys?
        /// Loads that no longer pass when it is taken away.
        public let lost: Int
        /// The rule that stands against most of them then.
        public let rule: RuleID?
        /// It may not be needed: why nobody knows.
        public let doubt: OpenLoad?
    }

    /// Loads that a dictionary can not help, or of which nobody knows.
    public struct OpenLoad: Sendable, Hashable {
        public let url: String
        public let host: String
        public let os: String
        public let rule: RuleID?
        public internal(set) var loads: Int
        /// What to change on the server; empty where the answer is not known.
        public let server: [String]
        /// Why nobody knows; nil where somebody does.
        public let why: String?
        /// URL to ask.
        public let origin: String
    }

    /// An entry of the old dictionary that nothing needs.
    public struct UnusedEntry: Sendable, Hashable {
        public let entry: String
        public let why: String
    }

    public let keys: SuggestedKeys
    public let entries: [Entry]
    public let unused: [UnusedEntry]
    /// Blocked whatever a dictionary says.
    public let helpless: [OpenLoad]
    /// Not known to pass, nor to fail.
    public let undecided: [OpenLoad]
    /// Loads that pass under the suggestion, and all that were judged.
    public let passing: Int
    public let judged: Int
    /// Names of the systems that were judged for, in order.
    public let systems: [String]
    /// What in the old dictionary tightens an entry and was not taken over.
    public let dropped: [String]
}
