public import Records

extension RecordingReplay {
    /// What a load meets under another law, compared with its record.
    public enum Change: String, Sendable, Hashable, CaseIterable {
        case newlyBlocked, newlyAllowed, undecidable, same

        /// A load that failed for reasons of the network is newly blocked where it may no longer leave, and one that was
        /// blocked is the same where it fails now: it comes through neither way.
        public init(from old: ReplayVerdict, to new: ReplayVerdict) {
            switch (old, new) {
            case (_, .undecidable): self = .undecidable
            case (.blocked, .blocked): self = .same
            case (_, .blocked): self = .newlyBlocked
            case (.blocked, .allowed), (.failed, .allowed): self = .newlyAllowed
            case (_, .allowed), (_, .failed), (_, .outside): self = .same
            }
        }

        /// For example `newly blocked`.
        public var words: String {
            switch self {
            case .newlyBlocked: "newly blocked"
            case .newlyAllowed: "newly allowed"
            case .undecidable: "undecidable"
            case .same: "same"
            }
        }
    }
}
