import ATSPolicy
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

    /// True if a load matches.
    public func matches(_ load: LoadView) -> Bool {
        let fields = SearchedFields(load)
        return matches(fields.shared + fields.own)
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
struct SearchedFields {
    /// Fields that loads with one shared row and one diagnosis have in common.
    let shared: [[UInt8]]
    /// URL, method, status and address.
    let own: [[UInt8]]

    init(_ load: LoadView) {
        own = Self.own(load.url, load.method, load.status, load.address)
        let numbers = [load.detailCode, load.shown?.code, load.shown?.streamErrorCode].map { $0.map(String.init) }
        let codes = [load.codes, load.constant, load.streamErrorConstant] + numbers
        let texts = [load.target.host, load.label, load.userAgent, load.os] + codes
        let rules: [String?] =
            [load.complaint?.rule, load.complaint?.title] + load.also.flatMap { [$0.rule, $0.title] as [String?] }
        shared = (texts + rules).compactMap(\.self).map(\.searched)
    }

    /// The fields that only one load has.
    static func own(of row: LoadRow) -> [[UInt8]] {
        own(row.url, row.columns.method, row.columns.status, row.address)
    }

    private static func own(_ url: String, _ method: String, _ status: Int?, _ address: String) -> [[UInt8]] {
        [url, method, status.map(String.init) ?? "", address].map(\.searched)
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
