import Fleet
import Records
import Reporting
import Testing

@Suite("Rows that a shared store's server reads")
struct ReadingCostTests {
    /// The statistics that the planner has. The server updates them now and then, not with each batch.
    enum PlannerStatistics: CaseIterable {
        /// No statistics, only those of loads, those of shared rows from before this recording, and all.
        case nothing, loads, otherRows, everything
    }

    @Test(
        "a report reads each load only a few times, whatever the planner's statistics are",
        arguments: PlannerStatistics.allCases)
    func reports(_ belief: PlannerStatistics) throws {
        var source = LoadSource()
        let both = try SharedCopy(source.next(1, recording: "other"))
        if belief == .otherRows { try both.rig.run("ANALYZE atsgate.shared, atsgate.diagnosis") }
        let loads = (0..<2000).flatMap { source.next(1, at: 1_770_076_790_000 + $0, hosts: 50) }
        let sink = try StoreSink(path: both.path)
        try sink.write(loads)
        try sink.close()
        try both.ship()
        if belief != .nothing { try both.rig.run("ANALYZE atsgate.load") }
        if belief == .everything { try both.rig.run("ANALYZE atsgate.shared, atsgate.diagnosis") }
        #expect(try both.rig.number("SELECT count(*) FROM atsgate.shared") > 20)
        for format in [ReportFormat.text, .jsonl] {
            let before = try rowsRead(both.rig)
            try both.shared.report(as: format, of: RecordFilter(recording: "nightly")) { _ in }
            let read = try rowsRead(both.rig) - before
            #expect((loads.count...loads.count * 4).contains(read), "\(format): \(read) rows of \(loads.count)")
        }
    }

    /// The number of load rows that the server has read. A connection's reads are counted when it ends at the latest.
    private func rowsRead(_ rig: ShippingRig) throws -> Int {
        let others =
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        let deadline = ContinuousClock.now + .seconds(20)
        while try rig.number(others) > 0 { try #require(.now < deadline, "a reader's connection stays") }
        return try rig.number(
            """
            SELECT coalesce(sum(seq_tup_read + idx_tup_fetch), 0) FROM pg_stat_user_tables
            WHERE relname LIKE 'load!_%' ESCAPE '!'
            """)
    }
}
