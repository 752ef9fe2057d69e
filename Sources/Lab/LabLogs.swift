import Foundation
import TLSEngine
import Text

/// The lab's own Certificate Transparency logs, each with its own operator.
struct LabLogs {
    /// Enough for the leaf with the longest lifetime (documented; docs/law/transparency.md#counting).
    private let approved: [LogIdentity]
    /// Retired an hour ago.
    private let retired: [LogIdentity]
    private let now: Int64

    init(now: Int64) throws(CertificateError) {
        self.now = now
        var logs: [LogIdentity] = []
        for _ in 0..<6 { logs.append(try LogIdentity()) }
        approved = Array(logs.prefix(4))
        retired = Array(logs.suffix(2))
    }

    /// The list of logs, in the JSON format that browsers publish. Source:
    /// https://www.gstatic.com/ct/log_list/v3/log_list_schema.json
    var json: String {
        let operators =
            approved.map { Self.operation($0, state: "usable", since: now - Day.seconds) }
            + retired.map { Self.operation($0, state: "retired", since: now - Self.hour) }
        let members = operators.enumerated().map { index, log in
            JSONValue.object([
                ("name", .string("atsgate lab operator \(index + 1)")), ("email", .array([])), ("logs", .array([log])),
            ])
        }
        let list = JSONValue.object([
            ("version", .string("1.0")), ("log_list_timestamp", .string(Self.text(now))),
            ("operators", .array(members)),
        ])
        return list.text + "\n"
    }

    /// Sets a leaf's timestamps as planned.
    func apply(
        _ plan: LeafPlan.Timestamps, to recipe: inout CertificateRecipe
    ) throws(CertificateError) {
        // Before the logs retired, and never in the future.
        recipe.loggedAt = min(recipe.notBefore, now - Day.seconds / 2)
        switch plan {
        case .enough: recipe.logs = Array(approved.prefix(Self.needed(recipe)))
        case .approved(let count): recipe.logs = Array(approved.prefix(count))
        case .madeUp(let count): recipe.madeUpTimestamps = count
        case .retired: recipe.logs = retired
        case .forged: for log in approved { recipe.logs.append(try LogIdentity(forging: log)) }
        }
    }

    /// Signs timestamps to deliver outside the leaf.
    func timestamps(_ count: Int, on leaf: Certificate) throws(CertificateError) -> [[UInt8]] {
        var timestamps: [[UInt8]] = []
        for log in approved.prefix(count) { timestamps.append(try log.timestamp(on: leaf, at: now - Self.hour)) }
        return timestamps
    }

    /// Source: Apple support 103214; docs/law/transparency.md#counting.
    private static func needed(_ recipe: CertificateRecipe) -> Int {
        switch (recipe.notAfter - recipe.notBefore) / Day.seconds {
        case ...180: 2
        case ...825: 3
        default: 4
        }
    }

    private static func operation(_ log: LogIdentity, state: String, since time: Int64) -> JSONValue {
        .object([
            ("description", .string("atsgate lab log")), ("log_id", .string(log.idBase64)),
            ("key", .string(log.keyBase64)), ("url", .string("https://ct.lab.test/")),
            ("mmd", .number(Int(Day.seconds))),
            ("state", .object([(state, .object([("timestamp", .string(text(time)))]))])),
        ])
    }

    private static func text(_ time: Int64) -> String {
        Date(timeIntervalSince1970: TimeInterval(time)).formatted(.iso8601)
    }

    /// Seconds.
    private static let hour: Int64 = 3_600
}
