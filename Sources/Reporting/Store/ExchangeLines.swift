import Foundation
import Records
import Text

/// Writes an exchanged recording.
struct ExchangeWriter {
    private(set) var bytes = Array("\(RecordingExchange.beginning)\(RecordingExchange.version)}\n".utf8)
    private var json = RecordJSON()
    private var numbers: [RecordedHandshake: Int] = [:]
    /// The number of the handshake of the last origin: the next load often has the same.
    private var last: (origin: RecordedOrigin, number: Int?)?

    mutating func begin(_ recording: String, at time: Int64) {
        let line = JSONValue.object([
            ("recording", .string(recording)), ("begun", .string(RecordTime.text(milliseconds: time))),
        ])
        bytes += Array((line.text + "\n").utf8)
    }

    mutating func add(_ record: LoadRecord) {
        let number = number(of: record)
        json.append(record, handshake: number, to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
    }

    mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    private mutating func number(of record: LoadRecord) -> Int? {
        guard let origin = record.origin else { return nil }
        if let last, last.origin === origin { return last.number }
        let number = record.handshake.map { handshake in
            if let known = numbers[handshake] { return known }
            let new = numbers.count + 1
            numbers[handshake] = new
            bytes += Array("{\"handshake\":\(new),\"facts\":\(handshake.text)}\n".utf8)
            return new
        }
        last = (origin, number)
        return number
    }
}

/// One line of an exchanged recording.
private enum ExchangeLine: Decodable {
    case format(Int)
    case recording(String, begun: Int64)
    case handshake(Int, RecordedHandshake)
    case record(RecordPiece)

    private enum Key: CodingKey { case atsgate, recording, begun, handshake, facts, schema }

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Key.self)
        if object.contains(.schema) {
            self = .record(try RecordPiece(from: decoder))
        } else if object.contains(.facts) {
            self = .handshake(
                try object.decode(Int.self, forKey: .handshake),
                try object.decode(RecordedHandshake.self, forKey: .facts))
        } else if object.contains(.recording) {
            let begun = try object.decode(String.self, forKey: .begun)
            guard let time = RecordTime.milliseconds(begun) else {
                throw DecodingError.dataCorruptedError(forKey: .begun, in: object, debugDescription: "not a time")
            }
            self = .recording(try object.decode(String.self, forKey: .recording), begun: time)
        } else {
            self = .format(try object.decode(Int.self, forKey: .atsgate))
        }
    }
}

/// Reads an exchanged recording, line by line.
struct ExchangeReader {
    private let path: String
    private var handshakes: [Int: RecordedHandshake] = [:]
    private var number = 0
    private var hasFormat = false

    init(path: String) { self.path = path }

    /// Calls `body` with each recording and each record.
    ///
    /// - Throws: ``StoreError/badLine(path:line:cause:)``.
    mutating func forEach(
        recording begin: (String, Int64) throws -> Void, record body: (LoadRecord) throws -> Void
    ) throws {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw StoreError.cannotOpen(path: path, cause: String(cString: strerror(errno)))
        }
        defer { try? file.close() }
        var rest = Data()
        while let piece = try file.read(upToCount: 1 << 20), !piece.isEmpty {
            rest.append(piece)
            var begins = rest.startIndex
            while let end = rest[begins...].firstIndex(of: UInt8(ascii: "\n")) {
                try take(rest[begins..<end], begin, body)
                begins = end + 1
            }
            rest = Data(rest[begins...])
            guard rest.count <= RecordingExchange.longestLine else {
                throw bad("it has more than \(RecordingExchange.longestLine) bytes", in: number + 1)
            }
        }
        if !rest.isEmpty { try take(rest, begin, body) }
        guard hasFormat else { throw bad("the file is empty", in: 1) }
    }

    private mutating func take(
        _ line: Data, _ begin: (String, Int64) throws -> Void, _ body: (LoadRecord) throws -> Void
    ) throws {
        number += 1
        guard line.count <= RecordingExchange.longestLine else {
            throw bad("it has more than \(RecordingExchange.longestLine) bytes", in: number)
        }
        if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) { return }
        let read: ExchangeLine
        do { read = try JSONDecoder().decode(ExchangeLine.self, from: line) } catch {
            throw bad(Self.words(error), in: number)
        }
        if case .format(let version) = read {
            guard version == RecordingExchange.version else {
                throw bad(
                    "it names version \(version), but this atsgate reads \(RecordingExchange.version)", in: number)
            }
            hasFormat = true
            return
        }
        guard hasFormat else {
            throw bad(
                "the first line of a recording is \(RecordingExchange.beginning)\(RecordingExchange.version)}",
                in: number)
        }
        switch read {
        case .format: break
        case .recording(let name, let begun):
            try check(name)
            try begin(name, begun)
        case .handshake(let number, let handshake): handshakes[number] = handshake
        case .record(let piece):
            var record = piece.record
            if let wanted = piece.handshake {
                guard let handshake = handshakes[wanted] else {
                    throw bad("no line before it has handshake \(wanted)", in: number)
                }
                record.restore(handshake)
            }
            try check(record.recording)
            guard LoadID(record.id.utf8) != nil else { throw bad("its id is not a ULID", in: number) }
            try body(record)
        }
    }

    private func check(_ recording: String) throws {
        guard !recording.utf8.contains(0) else { throw bad("the name of its recording contains U+0000", in: number) }
    }

    private func bad(_ cause: String, in line: Int) -> StoreError { .badLine(path: path, line: line, cause: cause) }

    /// The part that does not fit, without the decoder's own syntax.
    private static func words(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context): "\(path(context)) lacks \(key.stringValue)"
        case DecodingError.valueNotFound(_, let context): "\(path(context)) is null"
        case DecodingError.typeMismatch(_, let context): "\(path(context)) is of another type"
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
            "\(path(context)) is damaged"
        default: "it is not JSON"
        }
    }

    private static func path(_ context: DecodingError.Context) -> String {
        let path = context.codingPath.map(\.stringValue).joined(separator: ".")
        return path.isEmpty ? "it" : path
    }
}
