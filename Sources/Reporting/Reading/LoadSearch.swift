import ATSPolicy
import Bytes
public import Records
import Text

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
