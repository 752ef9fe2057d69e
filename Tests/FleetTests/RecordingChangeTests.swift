import Fleet
import Foundation
import Postgres
import PostgresServer
import Processes
import Reporting
import Testing

@Suite("Renaming and deleting recordings of a shared store") struct RecordingChangeTests {
    private static let day: Int64 = 86_400_000

    enum Change: CaseIterable {
        case rename, delete

        func make(_ recording: String, in address: PostgresAddress) throws {
            let recordings = try SharedRecordings(address)
            switch self {
            case .rename: try recordings.rename(recording, to: "other")
            case .delete: _ = try recordings.delete([recording])
            }
        }
    }

    @Test("a transaction that holds the tallies delays the change, but no gate", arguments: Change.allCases)
    func heldTallies(change: Change) throws {
        let rig = try ShippingRig()
        var loads = LoadSource()
        let sink = try StoreSink(path: rig.path("spool.sqlite"))
        let writer = try rig.writer()
        try sink.write(loads.next(40, recording: "old") + loads.next(1))
        try ShippingRig.ship(rig.path("spool.sqlite"), to: writer)
        let holder = try rig.server.connect(database: rig.database)
        try holder.run("BEGIN; LOCK TABLE atsgate.tally IN ROW EXCLUSIVE MODE")
        let keeper = try rig.login(in: .maintainer)
        let changing = BackgroundWork { try change.make("old", in: keeper) }
        let waits = """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type IN ('Lock', 'Timeout') AND usename IN (
                SELECT m.rolname FROM pg_auth_members JOIN pg_roles m ON m.oid = member
                WHERE roleid = 'atsgate_maintainer'::regrole)
            """
        let isWaiting = try holds(within: 60) { try rig.number(waits) == 1 }
        try #require(isWaiting)
        // The change waits no longer than this for a gate's statement.
        try sink.write(loads.next(5))
        try ShippingRig.ship(rig.path("spool.sqlite"), to: writer, timeout: .seconds(5))
        #expect(try rig.number("SELECT sum(loads) FROM atsgate.tally WHERE recording = 'nightly'") == 6)
        #expect(try rig.number("SELECT count(*) FROM atsgate.tally WHERE recording = 'old'") == 2)
        try holder.run("COMMIT")
        try changing.value()
        #expect(try rig.number("SELECT count(*) FROM atsgate.tally WHERE recording = 'old'") == 0)
        #expect(try rig.loadsOnce() == (change == .rename ? 46 : 6))
    }

    @Test(
        "a day left by an interrupted prune is deleted first, and does not come back under any name",
        arguments: Change.allCases)
    func leftDay(change: Change) throws {
        let rig = try ShippingRig()
        var loads = LoadSource()
        let sink = try StoreSink(path: rig.path("spool.sqlite"))
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        try sink.write(loads.next(40) + loads.next(5, at: now - 9 * Self.day))
        try ShippingRig.ship(rig.path("spool.sqlite"), to: rig.writer())
        let keeper = try rig.login(in: .maintainer)
        let connection = try PostgresConnection(keeper, as: "keeper", timeout: .seconds(60))
        let oldest = try connection.query("SELECT min(day)::text FROM atsgate.days")[0].text(0)
        let partition = "load_\(oldest.filter { $0 != "-" })"
        try connection.run("ALTER TABLE atsgate.load DETACH PARTITION atsgate.\(partition)")
        try change.make("nightly", in: keeper)
        try connection.run("SELECT atsgate.make_day('\(oldest)')")
        #expect(try rig.loadsOnce() == (change == .rename ? 40 : 0))
        #expect(try FleetCheck(of: connection, counts: true).complaints.isEmpty)
    }
}
