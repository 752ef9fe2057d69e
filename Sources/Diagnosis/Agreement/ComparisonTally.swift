/// Counts of agreeing loads and fields, by host and by field.
public struct ComparisonTally: Sendable {
    public typealias Counts = [LoadComparison.Answer: Int]

    public private(set) var loads: Counts = [:]
    public private(set) var hosts: [String: Counts] = [:]
    public private(set) var fields: [LoadComparison.Field: Counts] = [:]
    /// Reasons for unknown outcomes, with the number of loads.
    public private(set) var reasons: [String: Int] = [:]
    /// True if the gate was stricter or laxer in some field of some load.
    public private(set) var hasBreach = false
    /// Loads whose hosts exceed the limit of `hosts`; they do count in `loads`.
    public private(set) var unlisted = 0

    public init() {}

    public var count: Int { loads.values.reduce(0, +) }

    public mutating func add(_ comparison: LoadComparison, host: String) {
        loads[comparison.answer, default: 0] += 1
        if hosts[host] != nil || hosts.count < Self.mostHosts {
            hosts[host, default: [:]][comparison.answer, default: 0] += 1
        } else {
            unlisted += 1
        }
        for row in comparison.rows {
            fields[row.field, default: [:]][row.answer, default: 0] += 1
            if row.answer.isBreach { hasBreach = true }
        }
        if comparison.answer == .unknown, let why = comparison.rows.first?.why,
            reasons[why] != nil || reasons.count < Self.mostReasons
        {
            reasons[why, default: 0] += 1
        }
    }

    /// The hosts come from the log's author and are not trusted, so their number is limited.
    private static let mostHosts = 4_096
    private static let mostReasons = 256
}
