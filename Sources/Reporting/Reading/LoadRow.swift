import ATSPolicy
import Foundation
import GRDB
import GRDBSQLite
public import Records

/// One load of a store, as it is read: its own columns, and what it shares with others.
public struct LoadRow: Sendable {
    /// The position from which older or newer rows are read.
    public let place: StorePosition
    let shared: SharedRow
    let diagnosis: DiagnosisRow?
    let columns: LoadColumns

    public var id: String { columns.id.description }
    /// Milliseconds since 1970-01-01 UTC.
    public var time: Int64 { columns.time }
    /// The same for all loads with the same handshake, so that verdicts can be cached by it; nil if there was none.
    public var handshakeNumber: Int64? { shared.handshake }
    /// The URL with the path as it was recorded.
    var url: String { shared.origin + RecordedRequest.pathOfURL(columns.path) }

    /// The whole record.
    ///
    /// - Parameter isDiagnosed: false to leave out its diagnosis, whose sentences take time to fill in.
    /// - Throws: ``StoreError/unreadableRecord(id:cause:)``.
    public func record(isDiagnosed: Bool = true) throws(StoreError) -> LoadRecord {
        var record = shared.record
        record.id = id
        record.time = columns.time
        record.client = record.client.connecting(from: columns.client)
        record.load.method = columns.method
        record.load.path = columns.path
        record.status = columns.status
        record.bytesSent = columns.bytesSent
        record.bytesReceived = columns.bytesReceived
        record.timing = columns.timing
        if isDiagnosed, let diagnosis {
            record.diagnosis = DiagnosisMarks.filled(diagnosis.diagnosis, url: url, task: columns.task)
        }
        guard let more = columns.more else { return record }
        do {
            let piece = try RecordPiece.decoded(more, .more).record
            record.load.redirectedFrom = piece.load.redirectedFrom
            record.device = piece.device
        } catch {
            throw .unreadableRecord(id: id, cause: "a part of it is damaged")
        }
        return record
    }
}

/// A row of the table `shared`.
final class SharedRow: Sendable {
    let number: Int64
    /// The number of the handshake.
    let handshake: Int64?
    /// A record with the shared values, and no others.
    let record: LoadRecord
    /// The URL up to the path.
    let origin: String

    init(number: Int64, handshake: Int64?, record: LoadRecord) {
        self.number = number
        self.handshake = handshake
        self.record = record
        origin = record.load.target.origin
    }
}

/// A row of the table `diagnosis`: with marks instead of URL and task.
final class DiagnosisRow: Sendable {
    let number: Int64
    let diagnosis: RecordedDiagnosis

    init(number: Int64, diagnosis: RecordedDiagnosis) {
        self.number = number
        self.diagnosis = diagnosis
    }
}

extension RecordPiece {
    /// - Throws: `DecodingError`.
    package static func decoded(_ text: String, _ pieces: RecordPieces) throws -> RecordPiece {
        let decoder = JSONDecoder()
        if let key = RecordPiece.pieces { decoder.userInfo[key] = pieces }
        return try decoder.decode(RecordPiece.self, from: Data(text.utf8))
    }
}

/// The columns of one load's own row.
package struct LoadColumns: Sendable {
    /// The numbers of the rows that it shares with others; 0 for no diagnosis.
    package var shared: Int64
    package var diagnosis: Int64
    /// Milliseconds since 1970-01-01 UTC.
    package var time: Int64
    package var path: String
    package var id: LoadID
    /// `ADDRESS:PORT`.
    package var client: String
    package var method: String
    package var status: Int?
    package var bytesSent: Int64
    package var bytesReceived: Int64
    package var timing: Timing
    /// The device's name of its task, which the texts of the diagnosis leave out.
    package var task: DeviceTask?
    /// JSON of the fields that few loads have; nil for none.
    package var more: String?

    /// - Returns: nil if the id was not made by an archive.
    package init?(_ record: LoadRecord, shared: Int64, diagnosis: Int64, task: DeviceTask?) {
        guard let id = LoadID(record.id.utf8) else { return nil }
        self.init(
            shared: shared, diagnosis: diagnosis, time: record.time, path: record.load.path, id: id,
            client: record.client.address, method: record.load.method)
        status = record.status
        bytesSent = record.bytesSent
        bytesReceived = record.bytesReceived
        timing = record.timing
        self.task = task
        more = record.hasMore ? record.text(.more) : nil
    }

    package init(
        shared: Int64, diagnosis: Int64, time: Int64, path: String, id: LoadID, client: String, method: String
    ) {
        self.shared = shared
        self.diagnosis = diagnosis
        self.time = time
        self.path = path
        self.id = id
        self.client = client
        self.method = method
        status = nil
        (bytesSent, bytesReceived) = (0, 0)
        timing = Timing()
        task = nil
        more = nil
    }
}

extension LoadColumns {
    /// The columns in the order of ``init(_:)``, after the number of the row.
    static let names =
        "shared, diagnosis, time, path, id, client, method, status, sent, received, connect, handshake, first_byte, "
        + "total, task, task_number, more"

    /// - Parameter row: with the number of the row, then the columns of ``names``.
    init(_ row: StoreRow) throws(StoreRow.Unreadable) {
        guard let id = try row.id(5) else { throw StoreRow.Unreadable(description: "its id is invalid") }
        self.init(
            shared: try row.number(1), diagnosis: try row.number(2), time: try row.time(3), path: try row.text(4),
            id: id, client: try row.text(6), method: try row.text(7))
        status = row.isNull(8) ? nil : Int(try row.number(8))
        bytesSent = try row.number(9)
        bytesReceived = try row.number(10)
        timing.connect = row.isNull(11) ? nil : try row.number(11)
        timing.handshake = row.isNull(12) ? nil : try row.number(12)
        timing.firstByte = row.isNull(13) ? nil : try row.number(13)
        timing.total = try row.number(14)
        if let name = try row.id(15), !row.isNull(16) { task = DeviceTask(name: name, number: try row.number(16)) }
        more = try row.textIfAny(17)
    }
}

/// The statement that adds a load, and numbers the loads of one transaction. It is bound through SQLite's own
/// interface, because GRDB's arguments cost more than the insert.
struct LoadInsert {
    private let statement: Statement
    private let db: Database
    /// The number of the load that was added last.
    private(set) var last: Int64

    /// - Parameter db: in a write transaction.
    init(_ db: Database) throws {
        self.db = db
        let values = Array(repeating: "?", count: 18).joined(separator: ", ")
        statement = try db.cachedStatement(sql: "INSERT INTO load (seq, \(LoadColumns.names)) VALUES (\(values))")
        last = try StoreNumbers.last(in: db)
    }

    /// Adds a row with the next number.
    ///
    /// - Throws: `DatabaseError`.
    mutating func add(_ load: LoadColumns) throws {
        let number = last + 1
        guard number <= endOfNumbers else { throw DatabaseError(message: "no numbers are left for new loads") }
        let handle = statement.sqliteStatement
        defer { sqlite3_reset(handle) }
        var column: Int32 = 0
        func bind(_ value: Int64?) {
            column += 1
            if let value { sqlite3_bind_int64(handle, column, value) } else { sqlite3_bind_null(handle, column) }
        }
        func bind(_ text: String?) {
            column += 1
            guard var text else {
                sqlite3_bind_null(handle, column)
                return
            }
            text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    guard let begin = $0.baseAddress else {
                        // An empty text may have no address, which SQLite takes as NULL.
                        sqlite3_bind_text(handle, column, "", 0, copied)
                        return
                    }
                    sqlite3_bind_text64(handle, column, begin, UInt64($0.count), copied, UInt8(SQLITE_UTF8))
                }
            }
        }
        func bind(_ id: LoadID?) {
            column += 1
            guard let id else {
                sqlite3_bind_null(handle, column)
                return
            }
            withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) {
                _ = sqlite3_bind_blob(handle, column, $0.baseAddress, 16, copied)
            }
        }
        for number in [number, load.shared, load.diagnosis, load.time] { bind(number) }
        bind(load.path)
        bind(load.id)
        bind(load.client)
        bind(load.method)
        bind(load.status.map { Int64($0) })
        bind(load.bytesSent)
        bind(load.bytesReceived)
        bind(load.timing.connect)
        bind(load.timing.handshake)
        bind(load.timing.firstByte)
        bind(load.timing.total)
        bind(load.task?.name)
        bind(load.task?.number)
        bind(load.more)
        let code = sqlite3_step(handle)
        guard code == SQLITE_DONE else {
            let message = String(cString: sqlite3_errmsg(db.sqliteConnection))
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
        }
        last = number
    }
}

/// `SQLITE_TRANSIENT`, a cast that Swift does not import from the header: SQLite makes a copy.
private let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
