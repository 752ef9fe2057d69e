import ControlPlane
import Fleet
import Foundation
import Logging
import Postgres
import Reporting
import Text

/// The shared store of a running gate: its records go into a spool on this machine, and from there to the server.
struct SharedStore: Sendable {
    let address: PostgresAddress
    let spoolPath: String
    private let forwarder: Forwarder
    /// How long ``finish()`` waits at most.
    let patience: Duration

    /// Makes the folder of the spools, and looks for what is needed to ship: before the gate opens anything.
    ///
    /// - Throws: ``CommandFailure``: with 69 where libpq is missing, with 74 for a folder that cannot be made.
    static func prepare(_ choices: GateChoices) throws {
        guard case .shared = choices.store else { return }
        if let missing = PostgresLibrary.missing { throw CommandFailure.unavailable(missing) }
        try DataDirectory.prepareSpools()
    }

    /// Begins to ship.
    ///
    /// - Parameter spoolPath: of a spool that is there; nil where there is no shared store.
    init?(_ choices: GateChoices, label: String?, policy: String?, log: Logger) throws(StoreError) {
        guard case .shared(let address) = choices.store, let spoolPath = choices.recordsPath else { return nil }
        self.address = address
        self.spoolPath = spoolPath
        patience = choices.shipTimeout ?? Self.usualPatience
        let gate = GateDescription(
            host: ProcessInfo.processInfo.hostName, label: label, version: toolVersion,
            policy: policy.map(Self.title))
        forwarder = try Forwarder(spoolPath, to: address, as: gate) { log.warning("\($0.printable)") }
        forwarder.begin()
    }

    /// What `--store` is to be given to read, but for the login, which somebody has to put in: that of a gate may write
    /// alone.
    var readersName: String { address.shown(for: "LOGIN-WITH-\(FleetRole.reader.rawValue)") }

    /// For the start: `postgres://ci@db.lab/atsgate, by way of /var/lib/atsgate/spool/1f.sqlite`.
    var words: String { "\(address.shown), by way of \(spoolPath)" }

    /// What is to be said of how records travel.
    var remarks: [String] { address.remarks.map { "warning: " + $0 } }

    /// The gate has another dictionary now.
    func rename(policy: String?) { forwarder.rename(policy: policy.map(Self.title)) }

    /// Without the folders, which are this machine's alone.
    private static func title(of path: String) -> String { URL(fileURLWithPath: path).lastPathComponent }

    /// For the page, which somebody waits for: a server that does not answer at once is away.
    ///
    /// - Parameter patience: for each answer of one that does.
    /// - Throws: ``StoreError``.
    func reader(patience: Duration) throws(StoreError) -> StoreReader {
        try StoreReader(address, patience: patience, dialing: .seconds(5))
    }

    /// What the store tells of all gates, for the page.
    ///
    /// - Parameter hours: how far back to look for what they blocked.
    func fleet(hours: Int) throws(StoreError) -> FleetOverview {
        try FleetOverview.look(address, hours: hours, patience: .seconds(5), askedBy: forwarder.spool?.identity)
    }

    /// How the spool fares, for numbers.
    var signs: SpoolSigns? {
        guard let spool = forwarder.spool else { return nil }
        var signs = SpoolSigns()
        signs.waiting = Int(spool.waiting)
        signs.oldestSeconds = spool.oldest.map { max(0, (Self.now - Int($0)) / 1000) } ?? 0
        signs.dropped = Int(spool.dropped)
        signs.forwarder = forwarder.figures
        return signs
    }

    /// Milliseconds since 1970-01-01 UTC.
    private static var now: Int { Int(Date().timeIntervalSince1970 * 1000) }

    /// Ships what is there, and ends. Call once, when the archive is closed. Blocks as long as `--ship-timeout` says.
    ///
    /// - Returns: what people must know, in lines; empty for nothing.
    func finish() -> String {
        let left = forwarder.finish(within: patience)
        guard left > 0 else { return "" }
        let store = address.shown.shellWord
        return """
            atsgate: \(Int(left).loads) not in the shared store yet, but in the spool: the next gate with that store \
            brings them there, or: atsgate ship \(spoolPath.shellWord) --store \(store)

            """
    }

    /// Has ``finish()`` end at once.
    func stop() { forwarder.stop() }

    /// How long the end waits for the server; for `run`, whose machine may be gone in a minute.
    static let usualPatience = Duration.seconds(30)
}
