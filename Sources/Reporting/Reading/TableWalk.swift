import GRDB

/// Reads the rows of one table in the order of their numbers. At a damaged page of the file it notes the damage and
/// continues after it, so that only the rows on that page are lost.
///
/// Numbers must rise: a page that is its own child, which only a forger writes, would be read forever.
struct TableWalk: Sendable {
    let table: String
    /// The column with the row's number.
    let number: String
    /// The columns after the number, which is column 0.
    let columns: String
    /// The condition on rows; empty if there is none.
    var condition: FilterCondition.Clause = ("", StatementArguments())
    /// True for the highest number first.
    var isDescending = false

    /// The columns of a load's row, in the order that ``ScannedRow`` expects.
    static let loads = TableWalk(table: "load", number: "seq", columns: "form, time, rule, entry")

    /// Calls `body` with the rows from `first` to `last`.
    ///
    /// - Parameter body: returns true to continue; a row that it finds unreadable is noted and left out.
    /// - Throws: `DatabaseError`, and what `body` throws except ``StoreRow/Unreadable``.
    func forEach(
        from first: Int64 = -endOfNumbers, to last: Int64 = endOfNumbers, in db: Database, noting damage: StoreDamage,
        _ body: (StoreRow) throws -> Bool
    ) throws {
        let condition = condition.sql.isEmpty ? "" : " AND " + condition.sql
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(number), \(columns) FROM \(table) WHERE \(number) BETWEEN ? AND ?\(condition)
                ORDER BY \(number) \(isDescending ? "DESC" : "ASC")
                """)
        let counter = table == Self.loads.table ? damage.counter : nil
        var rest = max(first, -endOfNumbers)...max(min(last, endOfNumbers), max(first, -endOfNumbers))
        guard first <= last else { return }
        while true {
            do {
                let arguments = [rest.lowerBound, rest.upperBound] + self.condition.arguments
                try db.rows(of: statement, arguments) { row in
                    counter?.add()
                    let place = try row.number(0)
                    guard rest.contains(place) else { throw Disorder() }
                    guard shrink(&rest, behind: place) else {
                        _ = try read(row, place, damage, body)
                        return false
                    }
                    return try read(row, place, damage, body)
                }
                return
            } catch let error where (error as? DatabaseError)?.isPage ?? (error is Disorder) {
                damage.note(part: words(forPageIn: rest))
                guard let place = try nextReadable(in: rest, db) else { return }
                rest = isDescending ? rest.lowerBound...place : place...rest.upperBound
            }
        }
    }

    /// - Returns: true to continue.
    private func read(
        _ row: StoreRow, _ place: Int64, _ damage: StoreDamage, _ body: (StoreRow) throws -> Bool
    ) throws -> Bool {
        do {
            return try body(row)
        } catch let error as StoreRow.Unreadable {
            note(place, .row(place), "\(error)", damage)
            return true
        } catch StoreError.unreadableRecord(let id, let cause) {
            note(place, .record(id), cause, damage)
            return true
        } catch let error as DatabaseError where error.isPage {
            note(place, .row(place), "a form or handshake that it uses is damaged", damage)
            return true
        }
    }

    /// The damaged part of a row.
    private enum Subject {
        case row(Int64)
        /// The record in it, by its id.
        case record(String)

        var words: String {
            switch self {
            case .row(let place): "row \(place)"
            case .record(let id): "record \(id)"
            }
        }
    }

    private func note(_ place: Int64, _ subject: Subject, _ words: String, _ damage: StoreDamage) {
        if table == Self.loads.table { return damage.note(load: place, "\(subject.words): \(words)") }
        switch subject {
        case .row: damage.note(part: "\(table) \(place): \(words)")
        case .record: damage.note(part: "\(table) \(place): \(subject.words): \(words)")
        }
    }

    private func words(forPageIn rest: ClosedRange<Int64>) -> String {
        if isDescending {
            return rest.upperBound < endOfNumbers
                ? "a page of \(table) before row \(rest.upperBound + 1)" : "a page at the end of \(table)"
        }
        return rest.lowerBound > -endOfNumbers
            ? "a page of \(table) after row \(rest.lowerBound - 1)" : "a page at the beginning of \(table)"
    }

    /// - Returns: false if no rows are left.
    private func shrink(_ rest: inout ClosedRange<Int64>, behind place: Int64) -> Bool {
        let next = isDescending ? place - 1 : place + 1
        guard rest.contains(next) else { return false }
        rest = isDescending ? rest.lowerBound...next : next...rest.upperBound
        return true
    }

    /// Finds the next readable row. Numbers on a damaged page are consecutive, so the first attempts go from one number
    /// to the next. A damaged page higher up in the tree may hide very many rows. So later attempts use steps that
    /// double, and then narrow down to the first readable row.
    private func nextReadable(in rest: ClosedRange<Int64>, _ db: Database) throws -> Int64? {
        // SQLite counts from 1, so lower numbers are not tried.
        let begin = isDescending ? rest.upperBound : max(rest.lowerBound, -1)
        let length = isDescending ? begin - rest.lowerBound : rest.upperBound - begin
        func probe(_ distance: Int64) throws -> Probe {
            try self.probe(isDescending ? begin - distance : begin + distance, rest, db)
        }
        var damaged: Int64 = 0
        let isOpen = isDescending && begin == endOfNumbers
        for distance in 1...(isOpen ? 1 : max(1, min(triesOneByOne, length))) {
            if case .readable(let place) = try probe(distance) { return place }
            damaged = distance
        }
        var step: Int64 = 1
        while damaged + step < length, case .damaged = try probe(damaged + step) {
            damaged += step
            step *= 2
        }
        var readable = min(damaged + step, length)
        while readable - damaged > 1 {
            let middle = damaged + (readable - damaged) / 2
            if case .damaged = try probe(middle) { damaged = middle } else { readable = middle }
        }
        guard case .readable(let place) = try probe(readable) else { return nil }
        return place
    }

    private enum Probe {
        case damaged
        /// The next row that can be read; nil at the end.
        case readable(Int64?)
    }

    private func probe(_ place: Int64, _ rest: ClosedRange<Int64>, _ db: Database) throws -> Probe {
        let order = isDescending ? "<= ? ORDER BY \(number) DESC" : ">= ? ORDER BY \(number)"
        let sql = "SELECT \(number), \(columns) FROM \(table) WHERE \(number) \(order) LIMIT 1"
        do {
            let found = try db.first(sql, [place]) { try $0.number(0) }
            guard let found, rest.contains(found), isDescending ? found <= place : found >= place else {
                return .readable(nil)
            }
            return .readable(found)
        } catch let error as DatabaseError where error.isPage {
            return .damaged
        }
    }

    private struct Disorder: Error {}
}

extension DatabaseError {
    /// True if a part of the file cannot be read, but others may.
    fileprivate var isPage: Bool {
        resultCode.primaryResultCode == .SQLITE_CORRUPT || resultCode.primaryResultCode == .SQLITE_TOOBIG
    }
}

/// Rows beyond this number do not come from atsgate; see ``StoreRow/place(_:)``.
let endOfNumbers: Int64 = 1 << 61
/// More rows than twenty pages contain.
private let triesOneByOne: Int64 = 4096
