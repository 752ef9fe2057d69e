public import Records

extension RecordingReplay {
    /// The result of a load under another dictionary, compared with its record.
    public enum Change: String, Sendable, Hashable, CaseIterable {
        case newlyBlocked, newlyAllowed, undecidable, same

        /// A load that failed on the network is newly blocked if it is no longer allowed. One that was blocked is the
        /// same if it fails now: it does not succeed either way.
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
            case .undecidable: "unknown"
            case .same: "same"
            }
        }
    }
}
