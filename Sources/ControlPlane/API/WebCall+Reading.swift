import ATSPolicy
import Foundation
import Records
import Reporting
import Text

/// What calls of the API have in common.
extension WebCall {
    /// `recording host verdict rule label entrance device search since until`, as `report` takes them; lists have commas between their values.
    func filter() throws(WebProblem) -> RecordFilter {
        var filter = RecordFilter()
        filter.recordings = list("recording")
        filter.hosts = list("host").map { Glob($0) }
        filter.rules = list("rule").map { Glob($0) }
        filter.labels = Set(list("label"))
        filter.devices = Set(list("device"))
        filter.search = LoadSearch(query("search") ?? "")
        filter.verdicts = try words("verdict")
        filter.entrances = try words("entrance")
        filter.since = try Self.time(query("since"), "since")
        filter.until = try Self.time(query("until"), "until")
        return filter
    }

    /// A list of words of which there are so many.
    private func words<Word: RawRepresentable<String> & CaseIterable & Hashable>(
        _ name: String
    ) throws(WebProblem) -> Set<Word> {
        var words: Set<Word> = []
        for text in list(name) {
            guard let word = Word(rawValue: text) else {
                throw WebProblem(400, "\(name): write any of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            words.insert(word)
        }
        return words
    }

    private func list(_ name: String) -> [String] {
        (query(name) ?? "").split(separator: ",").map(String.init)
    }

    /// A whole number of the query.
    func number(_ name: String, in range: ClosedRange<Int>, usual: Int) throws(WebProblem) -> Int {
        guard let text = query(name) else { return usual }
        guard let number = Int(text), range.contains(number) else {
            throw WebProblem(400, "\(name): write a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The body as JSON.
    ///
    /// - Parameter shape: for people, as in `{"name": "..."}`.
    func decoded<Value: Decodable>(_ type: Value.Type, shape: String) throws(WebProblem) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(body))
        } catch {
            throw WebProblem(400, "The body must be JSON like \(shape)")
        }
    }

    /// ISO 8601 or milliseconds since 1970-01-01 UTC, as records have it.
    static func time(_ text: String?, _ name: String) throws(WebProblem) -> Int64? {
        guard let text else { return nil }
        if let number = Int64(text) { return number }
        for style in [
            Date.ISO8601FormatStyle(includingFractionalSeconds: true), Date.ISO8601FormatStyle(),
        ] {
            if let date = try? style.parse(text) { return Int64(date.timeIntervalSince1970 * 1000) }
        }
        throw WebProblem(400, "\(name): write a time as 2026-02-03T04:05:06Z, or milliseconds since 1970")
    }

    /// - Parameter name: as `--os` takes it.
    static func profile(_ name: String) throws(WebProblem) -> OSProfile {
        guard let profile = OSProfile.named(name) else {
            throw WebProblem(
                400, "\"\(name)\" is no system; there are \(OSProfile.all.map(\.name).joined(separator: ", "))")
        }
        return profile
    }
}
