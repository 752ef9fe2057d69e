import Foundation
import GRDB
import Records
import Reporting
import Samples
import Synchronization
import TestSupport
import Testing

/// A gate that records for a week on a simulated clock.
@Suite("A week of recordings")
struct WeekTests {
    @Test(
        "a store stays under its limit hour by hour, and the rest is complete",
        arguments: [Retention.bytes(1_000_000), .age(.seconds(2 * 86_400))])
    func boundInBulk(retention: Retention) throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            let clock = Mutex(start)
            let longest = Mutex(Duration.zero)
            var filed = 0
            for day in 0..<7 {
                // A new gate each day.
                let sink = try StoreSink(path: path, retention: retention, clock: { clock.withLock { $0 } })
                for hour in 0..<24 {
                    let now = start + Int64(day * 24 + hour) * 3_600_000
                    clock.withLock { $0 = now }
                    for batch in 0..<2 {
                        let loads = (0..<100).map { number in
                            load(at: now + Int64(batch * 100 + number), day, filed + number)
                        }
                        let spent = try ContinuousClock().measure { try sink.write(loads) }
                        longest.withLock { $0 = max($0, spent) }
                        filed += loads.count
                    }
                    try check(path, retention, now: now)
                }
                try sink.close()
            }
            try checkWhole(path, last: filed - 1)
            #expect(filed == 33_600)
            // Loads wait only for a full archive, which holds many times this number of loads.
            #expect(longest.withLock { $0 } < .seconds(60))
        }
    }

    private func check(_ path: String, _ retention: Retention, now: Int64) throws {
        switch retention {
        case .bytes(let limit):
            let sizes = ["", "-wal"].map { suffix in
                (try? FileManager.default.attributesOfItem(atPath: path + suffix)[.size] as? Int64) ?? 0
            }
            #expect(sizes[0] <= limit)
        case .age(let age):
            let oldest = try StoreReader(path: path).recordings().map(\.first).min() ?? now
            // The loads of an hour, and the ten minutes between two checks.
            #expect(now - oldest <= age.components.seconds * 1000 + 2 * 3_600_000)
        }
    }

    /// Checks that every row is readable, the tallies are right, and no load is missing between the oldest kept and the
    /// last.
    private func checkWhole(_ path: String, last: Int) throws {
        let reader = try StoreReader(path: path)
        let ids = try reader.records().map(\.id)
        #expect(ids.count > 1000)
        #expect(ids == ((last - ids.count + 1)...last).map { SampleLoads.id($0) })
        let database = try DatabaseQueue(path: path)
        let checks = ["PRAGMA integrity_check", wrongTallies, unusedRows, lateTallies]
        let answers = try checks.map { sql in try database.read { try String.fetchAll($0, sql: sql) } }
        #expect(answers == [["ok"], [], [], []])
    }

    private let wrongTallies = """
        SELECT shared FROM (SELECT shared, diagnosis, loads, last_time FROM tally EXCEPT
        SELECT shared, diagnosis, count(*), max(time) FROM load GROUP BY 1, 2)
        """
    private let unusedRows = """
        SELECT id FROM shared WHERE id NOT IN (SELECT shared FROM load) UNION ALL
        SELECT id FROM diagnosis WHERE id NOT IN (SELECT diagnosis FROM load)
        """
    private let lateTallies = """
        SELECT shared FROM tally WHERE first_seq > (
            SELECT min(seq) FROM load WHERE load.shared = tally.shared AND load.diagnosis = tally.diagnosis)
        """

    /// A load of a recording per day, on some hosts. Every third load is blocked.
    private func load(at time: Int64, _ day: Int, _ number: Int) -> LoadRecord {
        var record =
            number % 3 == 0
            ? SampleLoads.forwardSecrecy(number) : SampleLoads.plain(number, host: "host\(number % 7).lab.test")
        record.recording = "day \(day)"
        record.time = time
        return SampleLoads.filed(record, id: SampleLoads.id(number))
    }

    private let start: Int64 = 1_770_000_000_000
}
