/// What the loads of a host by one rule mean for the end of a command. Raw values are shown in JSON and CSV.
public enum Judgement: String, Sendable, Hashable, CaseIterable {
    /// They count, and no baseline knows them: the exit code is 1.
    case fails
    /// They would count, but the baseline knows them.
    case known
    /// They were refused or broke, and that does not count.
    case uncounted
    case passes
    /// ATS does not govern them.
    case outside
}
