public import ATSPolicy

/// Parts of a dictionary that a finding proposes to delete. A deletion changes no ruling, which
/// `LintRemovalTests` proves by judging loads with and without the parts.
public struct LintRemoval: Sendable, Hashable {
    /// One part of a dictionary.
    public enum Part: Sendable, Hashable {
        /// A key at the top of the dictionary.
        case global(String)
        /// An entry of NSExceptionDomains.
        case entry(String)
        /// A key of an entry.
        case key(String, entry: String)
    }

    public let parts: [Part]
    /// The oldest release on which the parts have no effect; nil for every release that was checked.
    public let oldest: OSProfile?

    init(_ parts: [Part], since oldest: OSProfile? = nil) {
        self.parts = parts
        self.oldest = oldest
    }

    /// The dictionary without the parts.
    public func applied(to declaration: Declaration) -> Declaration {
        parts.reduce(declaration) { rest, part in
            switch part {
            case .global(let key): rest.with(rest.members.filter { $0.key != key })
            case .entry(let entry): rest.removing(entry: entry)
            case .key(let key, let entry): rest.removing(key, ofEntry: entry)
            }
        }
    }
}
