import Foundation
import HTTPWire
import Reporting
import Synchronization
import Text

/// The gates that share a store, and the hosts they blocked. Blocks, for some seconds if the server is unreachable.
final class FleetRoutes: Sendable {
    private let look: @Sendable (_ hours: Int) throws -> FleetOverview
    private let monitor: GateMonitor
    private let trouble = RecentFailure()
    private let last = Mutex<Answer?>(nil)

    /// The server's last answer.
    private struct Answer {
        let overview: FleetOverview
        let hours: Int
        /// In milliseconds since 1970-01-01 UTC.
        let time: Int
    }

    init(_ look: @escaping @Sendable (_ hours: Int) throws -> FleetOverview, monitor: GateMonitor) {
        self.look = look
        self.monitor = monitor
    }

    var all: [WebRoute] { [WebRoute(.get, "/api/v1/fleet", .reading, show)] }

    @Sendable private func show(_ call: WebCall) throws -> WebAnswer {
        try call.checkQuery(["hours"])
        let hours = try call.number("hours", in: 1...24, usual: 1)
        let why = try trouble.current ?? trouble(of: hours)
        let answer = last.withLock(\.self)
        let overview = answer?.overview
        return .json(
            .object([
                ("time", .number(answer?.time)), ("hours", .number(answer?.hours)),
                ("trouble", .text(why.map { "\($0)" })), ("note", .text(overview?.note)),
                ("gateCount", .number(overview?.gateCount ?? 0)),
                ("gates", .array(overview?.gates.map { json($0, isOwn: $0.spool == overview?.ownSpool) } ?? [])),
                ("blocked", .array(overview?.blocked.map(json) ?? [])),
                ("own", monitor.signs?.spool().map(json) ?? .null),
            ]))
    }

    /// Reads from the server and keeps the answer. Returns the reason if the server cannot be read.
    private func trouble(of hours: Int) throws -> StoreError? {
        do {
            let overview = try look(hours)
            let time = Int(Date().timeIntervalSince1970 * 1000)
            last.withLock { $0 = Answer(overview: overview, hours: hours, time: time) }
            return nil
        } catch let error as StoreError where error.isOfServer {
            trouble.note(error, hasConnected: false)
            return error
        }
    }

    private func json(_ gate: FleetGate, isOwn: Bool) -> JSONValue {
        .object([
            ("spool", .string(gate.spool)), ("machine", .string(gate.machine)), ("label", .text(gate.label)),
            ("version", .string(gate.version)), ("policy", .text(gate.policy)), ("login", .string(gate.owner)),
            ("started", .number(gate.started.map { Int($0) })), ("seen", .number(gate.seen.map { Int($0) })),
            ("silentSeconds", .number(Int(gate.silentSeconds))), ("isSilent", .flag(gate.isSilent)),
            ("isOwn", .flag(isOwn)), ("waiting", .number(Int(gate.waiting))),
            ("loads", .number(Int(gate.loads))), ("blocked", .number(Int(gate.blocked))),
        ])
    }

    private func json(_ one: BlockedHost) -> JSONValue {
        .object([
            ("host", .string(one.host)), ("rule", .text(one.rule)), ("loads", .number(Int(one.loads))),
            ("last", .number(Int(one.last))), ("gateCount", .number(Int(one.gateCount))),
            ("gates", .texts(one.spools)),
        ])
    }

    private func json(_ signs: SpoolStatus) -> JSONValue {
        .object([
            ("waiting", .number(signs.waiting)), ("oldestSeconds", .number(signs.oldestSeconds)),
            ("dropped", .number(signs.dropped)), ("refused", .number(signs.forwarder.refused)),
            ("isConnected", .flag(signs.forwarder.isConnected)), ("trouble", .text(signs.forwarder.trouble)),
        ])
    }
}
