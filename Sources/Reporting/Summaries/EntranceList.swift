import Records

/// How loads came in: each way once, with how they ended. Told where not all of them asked an HTTP proxy.
struct EntranceList: Sendable {
    struct Entrance: Sendable {
        /// As `client.entrance` of records; `proxy` where that is null.
        let name: String
        fileprivate(set) var counts: [Verdict: Int] = [:]

        var loads: Int { counts.values.reduce(0, +) }
        /// For people: `transparent: 3 (2 outside)`.
        var words: String {
            let outside = counts[.outside] ?? 0
            return "\(name): \(loads)" + (outside > 0 ? " (\(outside) outside)" : "")
        }
    }

    /// Those that loads came by, in the order of ``LoadEntrance``; behind them what only later versions know, as met.
    var entrances: [Entrance] { (LoadEntrance.allCases.map(\.rawValue) + later.names).compactMap { met[$0] } }
    /// The same, where there is something to tell; else empty.
    var told: [Entrance] { met.keys.allSatisfy { $0 == LoadEntrance.proxy.rawValue } ? [] : entrances }

    private var met: [String: Entrance] = [:]
    private var later = OrderedNames()

    mutating func add(_ client: DecodedObject<ClientFields>, verdict: Verdict, loads: Int) {
        let name = client.entrance ?? LoadEntrance.proxy.rawValue
        if client.wayIn == nil { later.add(name) }
        met[name, default: Entrance(name: name)].counts[verdict, default: 0] += loads
    }
}
