import Postgres
import Reporting

/// The increments of a batch to its gate's tallies: the number of loads for each recording and verdict.
struct TallyRows {
    private struct Key: Hashable {
        let recording: String
        let verdict: String
    }

    private struct Row {
        var loads: Int64 = 0
        var first = Int64.max
        var last = Int64.min

        mutating func add(_ other: Row) {
            loads += other.loads
            (first, last) = (min(first, other.first), max(last, other.last))
        }
    }

    private var rows: [Key: Row] = [:]

    init(_ batch: Spool.Batch) {
        var sums = [Row](repeating: Row(), count: batch.forms.count)
        for load in batch.loads { sums[load.form].add(Row(loads: 1, first: load.time, last: load.time)) }
        for (form, sum) in zip(batch.forms, sums) where sum.loads > 0 {
            rows[Key(recording: form.recording, verdict: form.verdict), default: Row()].add(sum)
        }
        for empty in batch.emptyRecordings {
            let key = Key(recording: empty.name, verdict: empty.verdict)
            if rows[key] == nil { rows[key] = Row(loads: 0, first: empty.begin, last: empty.begin) }
        }
    }

    /// Adds them in the transaction of the batch. Sorted by bytes like all updates of tallies, to avoid deadlocks.
    func add(to gate: PostgresUUID, on connection: PostgresConnection) throws {
        guard !rows.isEmpty else { return }
        let sorted = rows.sorted { one, other in
            if one.key.recording == other.key.recording {
                return one.key.verdict.utf8.lexicographicallyPrecedes(other.key.verdict.utf8)
            }
            return one.key.recording.utf8.lexicographicallyPrecedes(other.key.recording.utf8)
        }
        _ = try connection.query(
            addSQL,
            [
                .uuid(gate), .texts(sorted.map(\.key.recording)), .texts(sorted.map(\.key.verdict)),
                .int8s(sorted.map(\.value.loads)), .times(milliseconds: sorted.map(\.value.first)),
                .times(milliseconds: sorted.map(\.value.last)),
            ])
    }
}

private let addSQL = """
    INSERT INTO atsgate.tally (gate, recording, verdict, loads, first_time, last_time)
    SELECT $1, new.* FROM unnest($2::text[], $3::text[], $4::bigint[], $5::timestamptz[], $6::timestamptz[]) AS new
    ON CONFLICT (gate, recording, verdict) DO UPDATE SET loads = tally.loads + excluded.loads,
        first_time = CASE WHEN tally.loads = 0 AND excluded.loads > 0 THEN excluded.first_time
            ELSE least(tally.first_time, excluded.first_time) END,
        last_time = CASE WHEN tally.loads = 0 AND excluded.loads > 0 THEN excluded.last_time
            ELSE greatest(tally.last_time, excluded.last_time) END
    """
