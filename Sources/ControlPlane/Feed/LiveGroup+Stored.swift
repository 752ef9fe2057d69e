import Records
import Reporting

extension LiveGroup {
    /// The page's groups of stored loads, in the order first seen, each with its latest load.
    ///
    /// - Parameters:
    ///   - search: the words that found them.
    ///   - limit: the number of groups; loads of further groups are left out.
    static func groups(of loads: [SimilarLoads], found search: LoadSearch, limit: Int) -> [LiveGroup] {
        var groups: [LiveGroup] = []
        var places: [Key: Int] = [:]
        for similar in loads {
            let key = Key(similar.last)
            let place = places[key] ?? groups.count
            if place == groups.count {
                guard groups.count < limit else { continue }
                places[key] = place
                groups.append(LiveGroup(number: place, key: key, last: similar.last))
            }
            groups[place].add(similar.last, times: similar.loads)
            groups[place].match = groups[place].match ?? similar.last.match(of: search)
        }
        return groups
    }
}
