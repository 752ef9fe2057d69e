import Records

/// The ways in which loads reached the gate, with their results. Shown unless all came through the HTTP proxy.
struct EntranceList: Sendable {
    struct Entrance: Sendable {
        /// The value of `client.entrance` in records; `proxy` if that is null.
        let name: String
        fileprivate(set) var counts: [Verdict: Int] = [:]

        var loads: Int { counts.values.reduce(0, +) }
        /// As text: `transparent: 3 (2 outside)`.
        var words: String {
            let outside = counts[.outside] ?? 0
            return "\(name): \(loads)" + (outside > 0 ? " (\(outside) outside)" : "")
        }
    }

    /// The ways that were used, in the order of ``LoadEntrance``.
    var entrances: [Entrance] { LoadEntrance.allCases.compactMap { byName[$0.rawValue] } }
    /// The ways to show; empty if all loads came through the HTTP proxy.
    var shown: [Entrance] { byName.keys.allSatisfy { $0 == LoadEntrance.proxy.rawValue } ? [] : entrances }

    private var byName: [String: Entrance] = [:]

    mutating func add(_ client: RecordedClient, verdict: Verdict, loads: Int) {
        let name = client.wayIn.rawValue
        byName[name, default: Entrance(name: name)].counts[verdict, default: 0] += loads
    }
}
