import Records

/// The apps that sent loads, with the results of these.
struct AppList: Sendable {
    struct App: Sendable {
        /// The name in the User-Agent; `-` for loads without one.
        let name: String
        fileprivate(set) var counts: [Verdict: Int] = [:]
    }

    /// By name.
    var apps: [App] { byName.values.sorted { $0.name < $1.name } }

    private var byName: [String: App] = [:]

    mutating func add(_ client: RecordedClient, verdict: Verdict, loads: Int) {
        let name = client.app ?? "-"
        byName[name, default: App(name: name)].counts[verdict, default: 0] += loads
    }
}
