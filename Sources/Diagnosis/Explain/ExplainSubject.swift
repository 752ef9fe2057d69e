public import ATSPolicy
import Text

/// What `explain` is asked about.
public enum ExplainSubject: Sendable {
    case number(NumberExplanation)
    case rule(RuleID)
    /// A load, as text that ``URLText`` reads.
    case load(String)

    /// Numbers first, then the names of rules; everything else is a load.
    ///
    /// - Parameter topics: names of pages that can be asked for, to guess what was meant.
    /// - Throws: for a number of which nothing is known, for what is nearly the name of a rule, and for a word.
    public init(_ text: String, topics: [String] = []) throws(ExplainSubjectError) {
        if let number = ErrorNumber(text) ?? NumberExplanation.number(named: text) {
            guard let explanation = NumberExplanation(number) else { throw .unknownNumber(number.text) }
            self = .number(explanation)
        } else if let rule = RuleID(rawValue: text) {
            self = .rule(rule)
        } else if let near = Self.nearRule(text) {
            throw .unknownRule(text, near: near)
        } else if let page = Self.page(text, among: topics) {
            throw .noTopic(text, near: page.nearest(among: topics))
        } else if Self.isWord(text) {
            throw .word(text, near: text.nearest(among: topics + RuleID.allCases.map(\.rawValue)))
        } else {
            self = .load(text)
        }
    }

    /// The name of a page that is not there: it has a folder of one, and no host is meant so.
    private static func page(_ text: String, among topics: [String]) -> String? {
        var page = text.prefix { $0 != "#" }
        if page.hasPrefix("docs/") { page = page.dropFirst("docs/".count) }
        if page.hasSuffix(".md") { page = page.dropLast(".md".count) }
        let folders = topics.filter { $0.contains("/") }.map { $0.prefix { $0 != "/" } + "/" }
        return text.hasPrefix("docs/") || folders.contains { page.hasPrefix($0) } ? String(page) : nil
    }

    /// It could be the name of a host of one label, and was hardly meant so.
    private static func isWord(_ text: String) -> Bool {
        text.lowercased() != "localhost"
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    }

    /// Only what begins as a rule does: `net.example` is a host.
    private static func nearRule(_ text: String) -> String? {
        guard RuleCategory.allCases.contains(where: { text.hasPrefix("\($0.rawValue).") }) else { return nil }
        return text.nearest(among: RuleID.allCases.map(\.rawValue), within: 3)
    }
}

/// Why there is nothing to explain.
public enum ExplainSubjectError: Error, Sendable, Hashable, CustomStringConvertible {
    case unknownNumber(String)
    case unknownRule(String, near: String)
    case noTopic(String, near: String?)
    case word(String, near: String?)

    public var description: String {
        switch self {
        case .unknownNumber(let number):
            "\(number) is no number that Apple's systems report for a failed load, as far as is known; "
                + References.shown("docs/law/errors.md") + " lists those that are"
        case .unknownRule(let name, let near):
            "there is no rule \(name.printable); did you mean \(near)? A host of that name is asked about as "
                + "https://\(name.printable)"
        case .noTopic(let text, let near):
            "there is no topic \(text.printable); "
                + (near.map { "did you mean \($0)?" } ?? "atsgate explain topics lists the topics.")
                + " A host of that name is asked about as https://\(text.printable)"
        case .word(let text, let near):
            "\(text.printable) is no URL, host, code, rule or topic; "
                + (near.map { "did you mean \($0)? " } ?? "atsgate explain topics lists the topics. ")
                + "A host of that name is asked about as https://\(text.printable)"
        }
    }
}
