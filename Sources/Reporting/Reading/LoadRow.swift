import ATSPolicy
import Foundation
public import Records

/// One load of a store, as it is read: its own columns, and what it shares with others.
public struct LoadRow: Sendable {
    /// The position from which older or newer rows are read.
    public let place: StorePosition
    let shared: SharedRow
    let diagnosis: DiagnosisRow?
    let columns: LoadColumns

    init(place: StorePosition, shared: SharedRow, diagnosis: DiagnosisRow?, columns: LoadColumns) {
        self.place = place
        self.shared = shared
        self.diagnosis = diagnosis
        self.columns = columns
    }

    public var id: String { columns.id.description }
    /// Milliseconds since 1970-01-01 UTC.
    public var time: Int64 { columns.time }
    /// The same for all loads with the same handshake, so that verdicts can be cached by it; nil if there was none.
    public var handshakeNumber: Int64? { shared.handshake }
    /// The URL with the path as it was recorded.
    var url: String {
        var load = shared.record.load
        load.path = columns.path
        return load.url
    }

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
            record.diagnosis = DiagnosisMarks.filled(diagnosis.diagnosis, url: record.load.url, task: columns.task)
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

    init(number: Int64, handshake: Int64?, record: LoadRecord) {
        self.number = number
        self.handshake = handshake
        self.record = record
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
