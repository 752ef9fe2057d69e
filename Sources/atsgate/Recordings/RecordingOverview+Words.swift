import ATSPolicy
import Foundation
import Reporting
import Text

extension [RecordingOverview] {
    /// The content of a report in one line: recordings, loads, time, policy, release, mode, devices.
    var summary: String {
        let loads = reduce(0) { $0 + $1.loads }
        guard loads > 0 else {
            let names = count == 1 ? "recording \(self[0].name)" : "\(count) recordings, \(map(\.name).shown)"
            return "\(names): no load came through".printable
        }
        let names = count == 1 ? "recording \(self[0].name)" : "\(count) recordings, \(map(\.name).shown)"
        var parts = [
            "\(names): \(loads) \(loads == 1 ? "load" : "loads")",
            [first?.first, map(\.last).max()].compactMap { $0?.dayAndTime }.each.joined(separator: " to ") + " UTC",
            flatMap(\.policies).each.shown,
            "as " + flatMap(\.systems).each.map { OSProfile.named($0)?.title ?? $0 }.shown,
        ]
        let modes = RecordingOverview.Mode.allCases.filter { mode in contains { $0.modes.contains(mode) } }
        if !modes.isEmpty { parts.append(modes.map(\.rawValue).joined(separator: " and ")) }
        let labels = flatMap(\.labels).each
        if !labels.isEmpty { parts.append("devices \(labels.shown)") }
        return parts.joined(separator: "; ").printable
    }
}

extension [String] {
    /// The elements without duplicates, in order.
    var each: [String] {
        var seen = Set<String>()
        return filter { seen.insert($0).inserted }
    }

    /// The first few names and the number of others, on one line. Escaped, because clients may have chosen them.
    var shown: String {
        let more = count > namesShown ? ["\(count - namesShown) more"] : []
        return (prefix(namesShown) + more).joined(separator: ", ").printable
    }
}

extension Int64 {
    /// The time in milliseconds since 1970-01-01 UTC, as `2026-11-21 02:09`.
    var dayAndTime: String {
        let time = Date(timeIntervalSince1970: Double(self) / 1000).formatted(.iso8601)
        return String(time.prefix(16)).replacing("T", with: " ")
    }
}

private let namesShown = 5
