import ATSPolicy
import Records
import Text

extension LoadView {
    /// What loads of one row of the page have in common, as ``LiveGroup/Key`` has it.
    private struct GroupKey: Hashable {
        let recording: String
        let verdict: Verdict
        let target: LoadTarget
        let rule: String?
        let device: String
        let os: String
    }

    private var groupKey: GroupKey {
        GroupKey(
            recording: recording, verdict: verdict, target: target, rule: complaint?.rule, device: device, os: os)
    }

    /// Loads as the groups that a page shows, in the order first met; each with its latest load.
    ///
    /// - Parameter limit: of groups; the loads of others are left out.
    static func groups(of loads: [(row: LoadView, loads: Int)], limit: Int) -> [JSONValue] {
        var groups: [(last: LoadView, loads: Int)] = []
        var places: [GroupKey: Int] = [:]
        for (row, count) in loads {
            if let place = places[row.groupKey] {
                groups[place].loads += count
                if row.time >= groups[place].last.time { groups[place].last = row }
            } else if groups.count < limit {
                places[row.groupKey] = groups.count
                groups.append((row, count))
            }
        }
        return groups.enumerated().map { $1.last.group(number: $0, loads: $1.loads) }
    }
}
