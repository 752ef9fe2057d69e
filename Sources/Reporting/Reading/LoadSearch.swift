import ATSPolicy
import Records
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
    static func shared(of load: LoadRecord) -> [[UInt8]] {
        let (client, apple) = (load.client, load.apple)
        let numbers = [apple?.detailCode, load.shown?.code, load.shown?.streamErrorCode].map { $0.map(String.init) }
        let codes = [apple?.codes, apple?.constant, apple?.streamErrorConstant] + numbers
        let texts = [load.load.target.host, client.label, client.userAgent, client.os] + codes
        let rules = load.findings.flatMap { [$0.rule.rawValue, $0.title] as [String?] }
        return (texts + rules).compactMap(\.self).map(\.searched)
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
