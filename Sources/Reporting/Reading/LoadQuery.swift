public import ATSPolicy
import Bytes
import GRDB
public import Records
public import Text

/// The loads that match a filter, up to those that a store had when the query was made.
package struct LoadQuery: Sendable {
    let filter: RecordFilter
    let isDescending: Bool
    /// The last row that may be read.
    private let end: Int64

    init(_ filter: RecordFilter, isDescending: Bool = false, in view: StoreView) throws {
        self.filter = filter
        self.isDescending = isDescending
        end = try view.end()
    }

    /// The statement with its values; nil if no load can match.
    func statement(
        _ columns: String, after place: Int64?, in db: Database
    ) throws -> (sql: String, arguments: StatementArguments)? {
        var (first, last) = (max(filter.after ?? 0, 0) + 1, end)
        if let place, isDescending { last = min(last, place - 1) }
        if let place, !isDescending { first = max(first, place + 1) }
        if !filter.recordings.isEmpty {
            // The rows of these recordings, so that others need not be read.
            let ends = try db.first(endsSQL(filter.recordings.count), StatementArguments(filter.recordings)) { row in
                row.isNull(0) ? nil : (try row.number(0), try row.number(1))
            }
            guard let ends = ends ?? nil else { return nil }
            (first, last) = (max(first, ends.0), min(last, ends.1))
        }
        guard first <= last else { return nil }
        var conditions = LoadConditions(filter, .sqlite)
        conditions.add("seq BETWEEN ? AND ?", [.number(first), .number(last)])
        let order = isDescending ? "DESC" : "ASC"
        return (
            "SELECT \(columns) FROM load WHERE \(conditions.sql) ORDER BY seq \(order)", conditions.arguments
        )
    }

    private func endsSQL(_ count: Int) -> String {
        """
        SELECT min(first_seq), max(last_seq) FROM tally JOIN shared ON shared.id = tally.shared
        WHERE recording IN (\(LoadConditions.marks(count)))
        """
    }
}

/// The conditions of a ``RecordFilter`` in SQL, for the tables of a file and those of a shared store: the only
/// implementation of a filter. Words and names of devices are tested load by load, see ``LoadMatcher``.
package struct LoadConditions {
    package enum Engine: Sendable {
        case sqlite, postgres
    }

    package enum Value: Sendable, Hashable {
        case text(String)
        case number(Int64)
        /// Milliseconds since 1970-01-01 UTC.
        case time(Int64)
    }

    /// The condition, with a `?` for each value.
    package var sql: String { conditions.isEmpty ? "true" : conditions.joined(separator: " AND ") }
    package private(set) var values: [Value] = []
    private var conditions: [String] = []
    private let engine: Engine

    /// The conditions on rows of `load`, or of `tally` if the filter has none on loads.
    package init(_ filter: RecordFilter, _ engine: Engine) {
        self.engine = engine
        if let since = filter.since { add("time >= ?", [.time(since)]) }
        if let until = filter.until { add("time < ?", [.time(until)]) }
        if !filter.rules.isEmpty {
            let found = "diagnosis IN (SELECT id FROM diagnosis WHERE \(matches("rule", filter.rules)))"
            add(once(found), patterns(filter.rules))
        }
        var (shared, ofShared) = ([String](), [Value]())
        func select(_ column: String, _ names: [String]) {
            guard !names.isEmpty else { return }
            shared.append("\(column) IN (\(Self.marks(names.count)))")
            ofShared += names.map { .text($0) }
        }
        select("recording", filter.recordings)
        select("verdict", filter.verdicts.map(\.rawValue).sorted())
        select("label", filter.labels.sorted())
        select("entrance", filter.entrances.map(\.rawValue).sorted())
        if !filter.hellos.isEmpty {
            // In the JSON of the row, an unescaped quotation mark ends a text, so no other value contains this.
            let test = engine == .sqlite ? "instr(text, ?) > 0" : "strpos(text, ?) > 0"
            shared.append("(" + filter.hellos.map { _ in test }.joined(separator: " OR ") + ")")
            ofShared += filter.hellos.map { .text("\"reads\":\"\($0.rawValue)\"") }
        }
        if !filter.hosts.isEmpty {
            shared.append(matches("host", filter.hosts))
            ofShared += patterns(filter.hosts)
        }
        if !filter.apps.isEmpty {
            let name = appName
            let encoded = filter.apps.map { Glob(ClientApp.encoded($0.description)) }
            let tests = [matches("replace(\(name), '%20', ' ')", filter.apps), matches(name, encoded)]
            shared.append("(\(tests.joined(separator: " OR ")))")
            ofShared += patterns(filter.apps) + patterns(encoded)
        }
        guard !shared.isEmpty else { return }
        add(once("shared IN (SELECT id FROM shared WHERE \(shared.joined(separator: " AND ")))"), ofShared)
    }

    package mutating func add(_ condition: String, _ values: [Value]) {
        conditions.append(condition)
        self.values += values
    }

    var arguments: StatementArguments {
        StatementArguments(
            values.map { value -> any DatabaseValueConvertible in
                switch value {
                case .text(let text): text
                case .number(let number), .time(let number): number
                }
            })
    }

    /// A condition that holds if one of `globs` matches.
    private func matches(_ column: String, _ globs: [Glob]) -> String {
        // ASCII case is ignored in both (sqlite.org/lang_corefunc.html#lower).
        let test = engine == .sqlite ? "lower(\(column)) GLOB ?" : "lower(\(column) COLLATE \"C\") ~ ?"
        return "(" + globs.map { _ in test }.joined(separator: " OR ") + ")"
    }

    /// The name that ``ClientApp`` derives from a row of `shared`, still percent-encoded. Of a server's row, the texts
    /// are not read as JSON, because one that is not would end the statement. No question mark: see `SharedClause`.
    private var appName: String {
        let (agent, program, product) =
            switch engine {
            case .sqlite:
                (
                    "json_extract(text, '$.client.userAgent')", "json_extract(text, '$.client.assumed')",
                    "substr(agent, 1, instr(agent || '/', '/') - 1)"
                )
            case .postgres:
                (
                    #"substring(text from '"userAgent":"([^"\\]*)')"#, #"substring(text from '"assumed":"([^"\\]*)')"#,
                    "split_part(agent, '/', 1)"
                )
            }
        let known = product.replacing("agent", with: agent)
        return """
            (CASE WHEN substr(\(agent), 1, 8) = '\(ClientApp.engine)/' THEN coalesce(\(program), '\(ClientApp.webView)') \
            ELSE \(known) END)
            """
    }

    private func patterns(_ globs: [Glob]) -> [Value] {
        globs.map { .text(engine == .sqlite ? $0.sqlite : $0.regularExpression) }
    }

    /// PostgreSQL then runs the inner query once and looks up each row's value in the result, instead of a join whose
    /// planner relies on row counts that are wrong until a table was analysed. Source: PostgreSQL 15, seen with EXPLAIN;
    /// "hashed SubPlan" in section 14.1 of its manual.
    private func once(_ condition: String) -> String {
        engine == .sqlite ? condition : "(\(condition)) IS TRUE"
    }

    static func marks(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }
}

extension RecordFilter {
    /// True if the tallies of a store answer it: it has no condition on single loads.
    var isOfGroups: Bool {
        since == nil && until == nil && after == nil && search.isEmpty && devices.isEmpty && gates.isEmpty
    }
}

/// Selects loads of a store that meet every condition. A condition with several values is met by any of them; an empty
/// one, or nil, by every load.
public struct RecordFilter: Sendable, Hashable {
    /// Names of recordings.
    public var recordings: [String] = []
    public var hosts: [Glob] = []
    public var verdicts: Set<Verdict> = []
    /// Patterns for the deciding rule; a load without one matches none.
    public var rules: [Glob] = []
    /// Patterns for the app's name in the User-Agent; a load without one matches none.
    public var apps: [Glob] = []
    /// Labels of the listeners that clients used.
    public var labels: Set<String> = []
    /// The ways in which loads reached the gate.
    public var entrances: Set<LoadEntrance> = []
    /// The meanings of clients' hellos.
    public var hellos: Set<HelloReading.Kind> = []
    /// Names of devices: their label, or else their address.
    public var devices: Set<String> = []
    /// Gates of a shared store, by machine or label.
    public var gates: [Glob] = []
    /// Words that occur in a load.
    public var search = LoadSearch()
    /// Loads that began at this time or later, in milliseconds since 1970-01-01 UTC.
    public var since: Int64?
    /// Loads that began before this time, in milliseconds since 1970-01-01 UTC.
    public var until: Int64?
    /// Rows of a file that were stored after the one with this number; see ``StoreSink/lastRow()``.
    public var after: Int64?

    /// - Parameter recording: nil for all.
    public init(recording: String? = nil) {
        recordings = recording.map { [$0] } ?? []
    }
}

/// The grouping of a report's rows. Raw values are those of `--by`.
public enum ReportGrouping: String, Sendable, Hashable, CaseIterable {
    case host, rule
    /// By the app's name in the User-Agent.
    case app
    /// By the label of the listener, or the client's address if it has none.
    case device
    /// By the way in which loads reached the gate.
    case entrance
    /// By the machine and the label of the gate, in a shared store.
    case gate
}

/// Words to search for in loads. Each must occur in some field that a list shows of a load: URL, method, status, rules,
/// codes and their names, client. ASCII case is ignored. A word with a star must match a whole field, as a ``Glob``.
public struct LoadSearch: Sendable, Hashable {
    fileprivate enum Word: Hashable {
        /// In lower case.
        case part([UInt8])
        case pattern(Glob)
    }

    private var words: [Word]

    /// - Parameter text: words separated by whitespace; none matches every load. Only the first 16 count.
    public init(_ text: String = "") {
        words = text.split(whereSeparator: \.isWhitespace).prefix(mostWords).map { word in
            word.contains("*") ? .pattern(Glob(String(word))) : .part(Array(word.utf8).loweredASCII)
        }
    }

    /// True if every load matches.
    public var isEmpty: Bool { words.isEmpty }

    /// The first field of a load that contains a word which no shown text contains, as `title: text`; nil if there is
    /// none. A list shows it as the reason why the load was found.
    public func match(in load: LoadRecord, beyond shown: [String?]) -> String? {
        let unseen = self.rest(notIn: shown.compactMap { $0?.searched })
        let field = SearchedFields.titled(of: load).first { field in
            unseen.words.contains { $0.isFound(in: [field.text.searched]) }
        }
        return field.map { "\($0.title): \($0.text)" }
    }

    /// - Parameter fields: the fields of one load, in lower case.
    func matches(_ fields: [[UInt8]]) -> Bool { words.allSatisfy { $0.isFound(in: fields) } }

    /// The words that do not occur in `fields`.
    func rest(notIn fields: [[UInt8]]) -> LoadSearch {
        var rest = self
        rest.words.removeAll { $0.isFound(in: fields) }
        return rest
    }
}

extension LoadSearch.Word {
    fileprivate func isFound(in fields: [[UInt8]]) -> Bool {
        switch self {
        case .part(let part): fields.contains { $0.holds(part) }
        case .pattern(let glob): fields.contains { glob.matches(String(decoding: $0, as: UTF8.self)) }
        }
    }
}

/// The fields of a load that are searched, in lower case.
enum SearchedFields {
    /// Fields that loads with one shared row and one diagnosis have in common.
    static func shared(of load: LoadRecord) -> [[UInt8]] { titled(of: load).map(\.text.searched) }

    /// The same with their titles.
    fileprivate static func titled(of load: LoadRecord) -> [(title: String, text: String)] {
        let (client, apple, shown) = (load.client, load.apple, load.shown)
        let rules = load.findings.flatMap { [("rule", $0.rule.rawValue), ("reason", $0.title)] as [(String, String?)] }
        let fields: [(String, String?)] =
            [
                ("host", load.load.target.host), ("label", client.label), ("release", client.os),
                ("code", apple?.codes), ("code's name", apple?.constant), ("code's name", apple?.streamErrorConstant),
                ("handshake code", apple?.detailCode.map(String.init)),
                ("the app's code", shown?.code.map(String.init)),
                ("the app's code", shown?.streamErrorCode.map(String.init)),
            ] + rules + [("User-Agent", client.userAgent)]
        return fields.compactMap { title, text in text.map { (title, $0) } }
    }

    /// The fields that only one load has.
    static func own(of row: LoadRow) -> [[UInt8]] {
        [row.url, row.columns.method, row.columns.status.map(String.init) ?? "", row.address].map(\.searched)
    }
}

extension String {
    fileprivate var searched: [UInt8] { Array(utf8).loweredASCII }

    /// The host of `HOST:PORT`, an IPv6 address without brackets.
    var hostPart: String { (try? Authority(self[...]))?.host ?? self }
}

extension [UInt8] {
    var loweredASCII: [UInt8] { map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 } }

    /// True if it contains `part`.
    fileprivate func holds(_ part: [UInt8]) -> Bool {
        guard let first = part.first, part.count <= count else { return part.isEmpty }
        var place = startIndex
        while place <= endIndex - part.count {
            guard let next = self[place...(endIndex - part.count)].firstIndex(of: first) else { return false }
            if self[next..<(next + part.count)].elementsEqual(part) { return true }
            place = next + 1
        }
        return false
    }
}

private let mostWords = 16

/// Tests loads for words and devices. Loads with the same shared row and diagnosis have most of the searched fields in
/// common, so these are searched once; of each load only its own values are searched, for the words not found before.
package final class LoadMatcher {
    private struct Kind: Hashable {
        let shared: Int64
        let diagnosis: Int64
    }

    private let search: LoadSearch
    private let devices: Set<String>
    /// The words that do not occur in what loads of a kind share.
    private var kinds = WeighedCache<Kind, LoadSearch>(.rows, limit: 4 << 20, count: 4096)

    /// nil if every load matches.
    package init?(_ filter: RecordFilter) {
        guard !filter.search.isEmpty || !filter.devices.isEmpty else { return nil }
        search = filter.search
        devices = filter.devices
    }

    /// - Throws: ``StoreError/unreadableRecord(id:cause:)``.
    package func matches(_ row: LoadRow) throws(StoreError) -> Bool {
        if !devices.isEmpty, !devices.contains(row.device) { return false }
        let rest = try rest(for: row)
        return rest.isEmpty || rest.matches(SearchedFields.own(of: row))
    }

    private func rest(for row: LoadRow) throws(StoreError) -> LoadSearch {
        let kind = Kind(shared: row.shared.number, diagnosis: row.diagnosis?.number ?? 0)
        if let known = kinds.value(for: kind) { return known }
        let rest = search.rest(notIn: SearchedFields.shared(of: try row.record()))
        kinds.keep(rest, for: kind, bytes: 256)
        return rest
    }
}

extension LoadRow {
    /// The client's address without its port.
    var address: String { columns.client.hostPart }

    /// The client's display name: its label, else its address.
    var device: String { shared.record.client.label ?? address }
}
