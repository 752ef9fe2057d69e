import ControlPlane
import Fleet
import Foundation
import Logging
import Postgres
import Reporting
import Text

/// The shared store of a running gate: its records go into a spool on this machine first, and from there to the server.
struct SharedStore: Sendable {
    let address: PostgresAddress
    let spoolPath: String
    private let forwarder: Forwarder
    /// The time limit of ``finish()``.
    let timeout: Duration

    /// Creates the folder of the spools and checks the requirements of shipping, before the gate opens anything.
    ///
    /// - Throws: ``CommandFailure`` with 69 if libpq is missing, with 74 for a folder that cannot be created.
    static func prepare(_ choices: GateChoices) throws {
        guard case .shared = choices.store else { return }
        if let missing = PostgresLibrary.missing { throw CommandFailure.unavailable(missing) }
        try DataDirectory.prepareSpools()
    }

    /// Starts shipping; nil without a shared store.
    init?(_ choices: GateChoices, label: String?, policy: String?, log: Logger) throws(StoreError) {
        guard case .shared(let address) = choices.store, let spoolPath = choices.recordsPath else { return nil }
        self.address = address
        self.spoolPath = spoolPath
        timeout = choices.shipTimeout ?? Self.usualTimeout
        let gate = GateDescription(
            host: ProcessInfo.processInfo.hostName, label: label, version: toolVersion,
            policy: policy.map(Self.title))
        forwarder = try Forwarder(spoolPath, to: address, as: gate, onNotice: log.show)
        forwarder.begin()
    }

    /// The value of `--store` for reading, with a placeholder for the login: the login of a gate may only write.
    var readersName: String { address.shown(for: "LOGIN-WITH-\(FleetRole.reader.rawValue)") }

    /// For the start: `postgres://ci@db.lab/atsgate, via /var/lib/atsgate/spool/1f.sqlite`.
    var words: String { "\(address.shown), via \(spoolPath)" }

    /// Warnings about the connection.
    var remarks: [String] { address.remarks.map { "warning: " + $0 } }

    /// Reports that the gate has another dictionary.
    func rename(policy: String?) { forwarder.rename(policy: policy.map(Self.title)) }

    /// The name without folders, which are this machine's.
    private static func title(of path: String) -> String { URL(fileURLWithPath: path).lastPathComponent }

    /// A reader for the page, whose user is waiting: a server that does not answer quickly counts as unreachable.
    ///
    /// - Parameter timeout: the time limit of each answer.
    /// - Throws: ``StoreError``.
    func reader(timeout: Duration) throws(StoreError) -> StoreReader {
        try StoreReader(address, timeout: timeout, dialing: .seconds(5))
    }

    /// The state of all gates in the store, for the page.
    ///
    /// - Parameter hours: the time span of blocked loads.
    func fleet(hours: Int) throws(StoreError) -> FleetOverview {
        try FleetOverview.look(address, hours: hours, timeout: .seconds(5), askedBy: forwarder.spool?.identity)
    }

    /// The state of the spool, for metrics.
    var signs: SpoolStatus? {
        guard let spool = forwarder.spool else { return nil }
        var signs = SpoolStatus()
        signs.waiting = Int(spool.waiting)
        signs.oldestSeconds = spool.oldest.map { max(0, (Self.now - Int($0)) / 1000) } ?? 0
        signs.dropped = Int(spool.dropped)
        signs.forwarder = forwarder.figures
        return signs
    }

    /// Milliseconds since 1970-01-01 UTC.
    private static var now: Int { Int(Date().timeIntervalSince1970 * 1000) }

    /// Ships the remaining loads, and ends. Call once, after the archive is closed. Blocks for at most
    /// `--ship-timeout`.
    ///
    /// - Returns: Lines about loads that are left; empty for none.
    func finish() -> String {
        let left = forwarder.finish(within: timeout)
        guard left > 0 else { return "" }
        let store = address.shown.shellWord
        return """
            atsgate: \(Int(left).loads) not in the shared store yet, but in the spool: the next gate with that store \
            ships them, or run: atsgate recordings import \(spoolPath.shellWord) --store \(store)

            """
    }

    /// Ends ``finish()`` immediately.
    func stop() { forwarder.stop() }

    /// The default wait at the end. It matters for `run`, whose machine may be gone a minute later.
    static let usualTimeout = Duration.seconds(30)
}

extension Logger {
    /// Logs the end of a trouble as a notice, not as a warning.
    @Sendable func show(_ notice: StoreNotice) {
        switch notice {
        case .trouble(let sentence): warning("\(sentence.printable)")
        case .recovery(let sentence): self.notice("\(sentence.printable)")
        }
    }
}
