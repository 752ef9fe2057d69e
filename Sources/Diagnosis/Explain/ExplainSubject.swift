public import ATSPolicy
import Text

/// The subject of an `explain` command.
public enum ExplainSubject: Sendable {
    case number(NumberExplanation)
    case rule(RuleID)
    /// A load, as text that ``URLText`` reads.
    case load(String)

    /// Tries numbers first, then rule names; any other text is a load.
    ///
    /// - Parameter topics: names of pages, for the suggestion in an error.
    /// - Throws: for an unknown number, a misspelt rule, and an unknown word.
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

    /// The name of a page that does not exist. It begins with the folder of a page, so no host is meant.
    private static func page(_ text: String, among topics: [String]) -> String? {
        var page = text.prefix { $0 != "#" }
        if page.hasPrefix("docs/") { page = page.dropFirst("docs/".count) }
        if page.hasSuffix(".md") { page = page.dropLast(".md".count) }
        let folders = topics.filter { $0.contains("/") }.map { $0.prefix { $0 != "/" } + "/" }
        return text.hasPrefix("docs/") || folders.contains { page.hasPrefix($0) } ? String(page) : nil
    }

    /// True if the text could be a host of a single label, which is hardly intended.
    private static func isWord(_ text: String) -> Bool {
        text.lowercased() != "localhost"
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
    }

    /// The rule that the text resembles, if it begins with a rule category: `net.example` is a host.
    private static func nearRule(_ text: String) -> String? {
        guard RuleCategory.allCases.contains(where: { text.hasPrefix("\($0.rawValue).") }) else { return nil }
        return text.nearest(among: RuleID.allCases.map(\.rawValue), within: 3)
    }
}

/// The reason why the text cannot be explained.
public enum ExplainSubjectError: Error, Sendable, Hashable, CustomStringConvertible {
    case unknownNumber(String)
    case unknownRule(String, near: String)
    case noTopic(String, near: String?)
    case word(String, near: String?)

    public var description: String {
        switch self {
        case .unknownNumber(let number):
            "\(number) is not a known error code on Apple platforms; "
                + References.shown("docs/law/errors.md") + " lists the known ones"
        case .unknownRule(let name, let near):
            "unknown rule \(name.printable); did you mean \(near)? To explain a host of that name, write "
                + "https://\(name.printable)"
        case .noTopic(let text, let near):
            "unknown topic \(text.printable); "
                + (near.map { "did you mean \($0)?" } ?? "atsgate explain topics lists the topics.")
                + " To explain a host of that name, write https://\(text.printable)"
        case .word(let text, let near):
            "\(text.printable) is not a URL, host, code, rule or topic; "
                + (near.map { "did you mean \($0)? " } ?? "atsgate explain topics lists the topics. ")
                + "To explain a host of that name, write https://\(text.printable)"
        }
    }
}
