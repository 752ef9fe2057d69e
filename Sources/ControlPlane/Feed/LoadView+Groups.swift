import ATSPolicy
import Records
import Reporting
import Text

extension LoadView {
    /// The page's groups of some loads, in the order first seen, each with its latest load.
    ///
    /// - Parameter limit: the number of groups; loads of further groups are left out.
    static func groups(of loads: [SimilarLoads], limit: Int) -> [JSONValue] {
        var groups: [(last: LoadView, loads: Int)] = []
        var places: [LiveGroup.Key: Int] = [:]
        for group in loads {
            let (row, count) = (LoadView(group.last), group.loads)
            let key = LiveGroup.Key(row)
            if let place = places[key] {
                groups[place].loads += count
                if row.time >= groups[place].last.time { groups[place].last = row }
            } else if groups.count < limit {
                places[key] = groups.count
                groups.append((row, count))
            }
        }
        return groups.enumerated().map {
            GroupRow(number: $0, key: LiveGroup.Key($1.last), loads: $1.loads, last: GroupRow.Latest($1.last)).json
        }
    }
}
