import ATSPolicy
import Diagnosis
import Foundation
import Records
import Reporting
import Text

/// Parsing of queries and bodies.
extension WebCall {
    /// Parses `recording host verdict rule app label entrance hello device search since until`, like the options of `report`.
    /// Lists are separated by commas.
    ///
    /// - Parameter others: the names of the call's own query members.
    func filter(and others: String...) throws(WebProblem) -> RecordFilter {
        try checkQuery(Self.filters + others)
        var filter = RecordFilter()
        filter.recordings = list("recording")
        filter.hosts = try Self.hosts(list("host"))
        filter.rules = list("rule").map { Glob($0) }
        filter.apps = list("app").map { Glob($0) }
        filter.labels = Set(list("label"))
        filter.devices = Set(list("device"))
        filter.search = LoadSearch(query("search") ?? "")
        filter.verdicts = try words("verdict")
        filter.entrances = try words("entrance")
        filter.hellos = try words("hello")
        filter.since = try Self.time(query("since"), "since")
        filter.until = try Self.time(query("until"), "until")
        return filter
    }

    /// - Throws: ``WebProblem`` with 400 for text that cannot be a host.
    static func hosts(_ texts: [String]) throws(WebProblem) -> [Glob] {
        var globs: [Glob] = []
        for text in texts {
            do throws(WrittenHostFault) { globs += try WrittenHost(text).globs } catch {
                throw WebProblem(400, "host: \(error)")
            }
        }
        return globs
    }

    private static let filters = [
        "recording", "host", "verdict", "rule", "app", "label", "entrance", "hello", "device", "search", "since",
        "until",
    ]

    /// Rejects unknown query members, because ignoring a filter would widen the answer.
    ///
    /// - Throws: ``WebProblem`` with 400 that names the member.
    func checkQuery(_ known: [String]) throws(WebProblem) {
        try Self.check(request.queryNames.filter { !$0.isEmpty }, "member of the query", known)
    }

    private static func check(_ names: [String], _ what: String, _ known: [String]) throws(WebProblem) {
        guard let unknown = names.first(where: { !known.contains($0) }) else { return }
        throw WebProblem(400, "\"\(unknown.printable)\" is not a \(what); use \(known.joined(separator: ", "))")
    }

    /// A list of words from a fixed set.
    private func words<Word: RawRepresentable<String> & CaseIterable & Hashable>(
        _ name: String
    ) throws(WebProblem) -> Set<Word> {
        var words: Set<Word> = []
        for text in list(name) {
            guard let word = Word(rawValue: text) else {
                throw WebProblem(400, "\(name): use any of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            words.insert(word)
        }
        return words
    }

    private func list(_ name: String) -> [String] {
        (query(name) ?? "").split(separator: ",").map(String.init)
    }

    /// An integer of the query.
    func number(_ name: String, in range: ClosedRange<Int>, usual: Int) throws(WebProblem) -> Int {
        guard let text = query(name) else { return usual }
        guard let number = Int(text), range.contains(number) else {
            throw WebProblem(400, "\(name): use a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The body as JSON.
    ///
    /// - Parameters:
    ///   - shape: an example for the error message, such as `{"name": "..."}`.
    ///   - members: the names of all allowed members.
    func decoded<Value: Decodable>(
        _ type: Value.Type, shape: String, members: [String]
    ) throws(WebProblem) -> Value {
        let (value, names): (Value, [String])
        do {
            value = try JSONDecoder().decode(type, from: Data(body))
            names = try JSONDecoder().decode([String: AnyMember].self, from: Data(body)).keys.sorted()
        } catch {
            throw WebProblem(400, "The body must be JSON like \(shape)")
        }
        try Self.check(names, "member of the body", members)
        return value
    }

    /// Parses ISO 8601, or milliseconds since 1970-01-01 UTC as in records.
    static func time(_ text: String?, _ name: String) throws(WebProblem) -> Int64? {
        guard let text else { return nil }
        if let number = Int64(text) { return number }
        for style in [
            Date.ISO8601FormatStyle(includingFractionalSeconds: true), Date.ISO8601FormatStyle(),
        ] {
            if let date = try? style.parse(text) { return Int64(date.timeIntervalSince1970 * 1000) }
        }
        throw WebProblem(400, "\(name): use a time like 2026-02-03T04:05:06Z, or milliseconds since 1970")
    }

    /// - Parameter name: a value of `--os`.
    static func profile(_ name: String) throws(WebProblem) -> OSProfile {
        guard let profile = OSProfile.named(name) else {
            throw WebProblem(
                400, "\"\(name)\" is not a known release; use \(OSProfile.all.map(\.name).joined(separator: ", "))")
        }
        return profile
    }
}

/// A member whose value is ignored.
private struct AnyMember: Decodable {
    init(from decoder: any Decoder) {}
}
