import Fleet
import Postgres
import Reporting

/// What changes which recordings a store holds: a file, or a store that gates share.
protocol RecordingsEditor {
    /// Counts loads as they are taken out.
    var counter: WorkCounter { get }

    func rename(_ old: String, to new: String) throws

    /// - Returns: how many loads went, and whether their room is given back to the disk.
    func delete(_ recordings: [String]) throws -> (loads: Int, isSmaller: Bool)

    /// - Parameter now: milliseconds since 1970-01-01 UTC.
    func prune(_ retentions: [Retention], now: Int64) throws -> (loads: Int, isSmaller: Bool)
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

    /// The server uses the room again for other loads.
    func delete(_ names: [String]) throws -> (loads: Int, isSmaller: Bool) {
        (try recordings.delete(names), true)
    }

    func prune(_ retentions: [Retention], now: Int64) throws -> (loads: Int, isSmaller: Bool) {
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
        return (Int(outcome.loads), true)
    }
}
