internal import Foundation

extension ListedLogs {
    /// Reads the keys, operators and states of the JSON format. Source:
    /// https://www.gstatic.com/ct/log_list/v3/log_list_schema.json.
    ///
    /// Qualified, usable and read-only logs are approved. A retired log was approved until it retired. Pending and
    /// rejected logs are not approved. It is inferred that these states match what Apple calls currently and once
    /// approved logs. Source: Apple support 103214; docs/law/transparency.md#counting.
    init(json bytes: [UInt8]) throws(TransparencyLogsError.Fault) {
        let document: Document
        do {
            document = try JSONDecoder().decode(Document.self, from: Data(bytes))
        } catch let error as DecodingError {
            throw TransparencyLogsError.Fault(error, in: bytes)
        } catch {
            throw .init(place: nil, what: "not JSON")
        }
        time = try document.log_list_timestamp.map { text throws(TransparencyLogsError.Fault) in
            try Self.seconds(text, at: "log_list_timestamp")
        }
        for (number, group) in document.operators.enumerated() {
            for (index, entry) in (group.logs ?? []).enumerated() {
                logs.append(try Self.log(entry, of: group, at: "operators[\(number)].logs[\(index)]"))
            }
            for (index, entry) in (group.tiled_logs ?? []).enumerated() {
                var log = try Self.log(entry, of: group, at: "operators[\(number)].tiled_logs[\(index)]")
                log.isTiled = true
                logs.append(log)
            }
        }
    }

    private static func log(
        _ entry: Entry, of group: Operator, at place: String
    ) throws(TransparencyLogsError.Fault) -> TransparencyLog {
        guard var log = TransparencyLog(keyBase64: entry.key) else {
            throw .init(place: "\(place).key", what: "not a public key in Base64")
        }
        guard Data(base64Encoded: entry.log_id).map({ Array($0) }) == log.id else {
            throw .init(place: "\(place).log_id", what: "not the SHA-256 of the log's key")
        }
        log.operatorName = group.name
        let state = entry.state
        if state?.rejected != nil || state?.pending != nil {
            log.approval = .never
        } else if let retired = state?.retired {
            log.approval = .until(try seconds(retired.timestamp, at: "\(place).state.retired.timestamp"))
        } else if let state, state.qualified == nil, state.usable == nil, state.readonly == nil {
            throw .init(place: "\(place).state", what: "not a known state of a log")
        }
        return log
    }

    private static func seconds(_ text: String, at place: String) throws(TransparencyLogsError.Fault) -> Int64 {
        let styles = [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)]
        for style in styles {
            if let date = try? style.parse(text) { return Int64(date.timeIntervalSince1970.rounded(.down)) }
        }
        throw .init(place: place, what: "not a time such as 2026-01-31T00:00:00Z")
    }
}

// Property names match the file's keys.
private struct Document: Decodable {
    var log_list_timestamp: String?
    var operators: [Operator]
}

private struct Operator: Decodable {
    var name: String
    var logs: [Entry]?
    var tiled_logs: [Entry]?
}

private struct Entry: Decodable {
    struct Since: Decodable { var timestamp: String }

    struct State: Decodable {
        var pending: Since?
        var qualified: Since?
        var usable: Since?
        var readonly: Since?
        var retired: Since?
        var rejected: Since?
    }

    var log_id: String
    var key: String
    var state: State?
}

extension TransparencyLogsError.Fault {
    fileprivate init(_ error: DecodingError, in bytes: [UInt8]) {
        switch error {
        case .keyNotFound(let key, let context): self.init(context.codingPath + [key], "this key is missing")
        case .typeMismatch(_, let context): self.init(context.codingPath, "this has the wrong type")
        case .valueNotFound(_, let context): self.init(context.codingPath, "this is null")
        case .dataCorrupted(let context):
            self.init(context.codingPath, "not JSON" + Self.detail(of: bytes))
        @unknown default: self.init([], "not JSON")
        }
    }

    private init(_ path: [any CodingKey], _ what: String) {
        let place = path.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
        self.init(place: place.isEmpty ? nil : String(place.trimmingPrefix(".")), what: what)
    }

    /// The position of the syntax error: on Linux `JSONDecoder` does not report it, but `JSONSerialization` does.
    private static func detail(of bytes: [UInt8]) -> String {
        do {
            _ = try JSONSerialization.jsonObject(with: Data(bytes))
            return ""
        } catch {
            return ((error as NSError).userInfo["NSDebugDescription"] as? String).map { ": \($0)" } ?? ""
        }
    }
}
