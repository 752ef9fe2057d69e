/// The effect of one host's loads, by one rule, on the exit code. Raw values are shown in JSON and CSV.
public enum Judgement: String, Sendable, Hashable, CaseIterable {
    /// The loads count, and no baseline contains them: the exit code is 1.
    case fails
    /// The loads would count, but the baseline contains them.
    case known
    /// The loads were blocked or failed, but do not count.
    case uncounted
    case passes
    /// ATS does not apply to the loads.
    case outside
}
