import Fleet
import Postgres
import Reporting

/// What changes which recordings a store holds: a file, or a store that gates share.
protocol RecordingsEditor {
    /// Counts loads as they are taken out.
    var counter: WorkCounter { get }

    func rename(_ old: String, to new: String) throws

    /// - Returns: how many loads went, and what became of their space.
    func delete(_ recordings: [String]) throws -> (loads: Int, space: FreedSpace)

    /// - Parameter now: milliseconds since 1970-01-01 UTC.
    func prune(_ retentions: [Retention], now: Int64) throws -> (loads: Int, space: FreedSpace)
}

extension StoreEditor: RecordingsEditor {}

/// A store that gates share, for its maintainer. It loses whole days.
struct SharedEditor: RecordingsEditor {
    let counter = WorkCounter()
    private let recordings: SharedRecordings

    /// - Throws: `StoreError`.
    init(_ address: PostgresAddress) throws(StoreError) {
        recordings = try SharedRecordings(address)
    }

    func rename(_ old: String, to new: String) throws { try recordings.rename(old, to: new) }

    /// Rows are deleted, whose space the server does not return. Source: PostgreSQL, Routine Vacuuming, Recovering Disk Space.
    func delete(_ names: [String]) throws -> (loads: Int, space: FreedSpace) {
        (try recordings.delete(names), .reused)
    }

    /// Tables of whole days are dropped, and their files with them.
    func prune(_ retentions: [Retention], now: Int64) throws -> (loads: Int, space: FreedSpace) {
        var (age, bytes): (Int64?, Int64?) = (nil, nil)
        for retention in retentions {
            switch retention {
            case .age(let limit): age = limit.components.seconds * 1000
            case .bytes(let limit): bytes = limit
            }
        }
        let outcome = try recordings.prune(DayRetention(ageMilliseconds: age, bytes: bytes)) { day, loads in
            StandardError.say("atsgate: the day \(day) is out, with \(Int(loads).loads)")
        }
        return (Int(outcome.loads), .returned)
    }
}
