import ATSPolicy
import Foundation
import Reporting
import Text

extension [RecordingOverview] {
    /// What a report is about, in one line: recordings, loads, time, policy, system, mode, devices.
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
    /// Each once, in its order.
    var each: [String] {
        var seen = Set<String>()
        return filter { seen.insert($0).inserted }
    }

    /// The first few, and how many there are beside them: names that anybody may have chosen, on one line.
    var shown: String {
        let more = count > namesShown ? ["\(count - namesShown) more"] : []
        return (prefix(namesShown) + more).joined(separator: ", ").printable
    }
}

extension Int64 {
    /// Of milliseconds since 1970-01-01 UTC: `2026-11-21 02:09`.
    var dayAndTime: String {
        let time = Date(timeIntervalSince1970: Double(self) / 1000).formatted(.iso8601)
        return String(time.prefix(16)).replacing("T", with: " ")
    }
}

private let namesShown = 5
