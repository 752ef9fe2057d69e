import Text

extension LoadRow {
    /// What loads of one row of the page have in common, as ``LiveGroup/Key`` has it.
    private struct GroupKey: Hashable {
        let recording: String
        let verdict: String
        let origin: String
        let rule: String?
        let device: String
        let os: String
    }

    private var groupKey: GroupKey {
        GroupKey(recording: recording, verdict: verdict, origin: origin, rule: rule, device: device, os: os)
    }

    /// Loads as the groups that a page shows, in the order first met; each with its latest load.
    ///
    /// - Parameter limit: of groups; the loads of others are left out.
    static func groups(of loads: [(row: LoadRow, loads: Int)], limit: Int) -> [JSONValue] {
        var groups: [(last: LoadRow, loads: Int)] = []
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

    private func group(number: Int, loads: Int) -> JSONValue {
        .object([
            ("group", .number(number)), ("recording", .string(recording)), ("verdict", .string(verdict)),
            ("origin", .string(origin)), ("host", .string(host)), ("rule", .text(rule)), ("title", .text(title)),
            ("observed", .text(observed)), ("apple", .text(apple)), ("device", .string(device)), ("os", .string(os)),
            ("loads", .number(loads)), ("last", .string(id)), ("time", .number(Int(time))),
            ("milliseconds", .number(milliseconds.map { Int($0) })), ("sent", .number(Int(bytesSent))),
            ("received", .number(Int(bytesReceived))),
        ])
    }
}
