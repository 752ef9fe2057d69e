import ATSPolicy
import Diagnosis
import Mustache
import Records
import Resources
import Text

/// A template of a report, which escapes all values.
struct HTMLTemplate: Sendable {
    private let template: MustacheTemplate

    /// The whole page.
    static let report = HTMLTemplate(Resource("report/report.mustache").text)
    /// One card.
    static let card = HTMLTemplate(Resource("report/card.mustache").text)
    static let style = Resource("report/report.css").text
    static let script = Resource("report/report.js").text
    /// The SHA-256 in the page's policy that permits this script to run (Content Security Policy Level 3, section 8.4).
    /// A test compares it with the script.
    static let scriptDigest = "sha256-8H5Ceftb6QHdWZ9Z4Qr8x7IHuF2+Gpsa8WmT0LSCivk="

    private init(_ text: String) {
        _ = Self.contentType
        do {
            template = try MustacheTemplate(string: text)
        } catch {
            preconditionFailure("a built-in template is invalid: \(error)")
        }
    }

    func text(_ values: [String: Any]) -> String { template.render(values) }

    /// Every template selects this type in its first line.
    private static let contentType: Void = MustacheContentTypes.register(Scalars(), named: "SCALARS")

    /// Escapes by code point. The package's own HTML type escapes by character. A quotation mark with a combining
    /// accent is a different character to Swift, but not to a browser (swift-mustache 2.1.1).
    private struct Scalars: MustacheContentType {
        func escapeText(_ text: String) -> String {
            var escaped = ""
            for scalar in text.unicodeScalars {
                switch scalar {
                case "'": escaped += "&#39;"
                case "\n", "\t": escaped.unicodeScalars.append(scalar)
                // This also replaces unprintable characters.
                default: escaped += XMLText.escaped(String(scalar).printable)
                }
            }
            return escaped
        }
    }
}

extension String {
    /// The text for a page: printable, and limited in length.
    var shown: String { clipped(to: 600) }

    /// At most `limit` characters, with an ellipsis for the rest; printable.
    func clipped(to limit: Int) -> String {
        let text = prefix(limit + 1).printable
        return text.count > limit ? text.prefix(max(limit - 1, 0)) + "…" : text
    }
}

extension ReplayVerdict {
    /// One character for a table cell.
    var sign: String {
        switch self {
        case .allowed: "✓"
        case .blocked: "✗"
        case .failed: "!"
        case .outside: "–"
        case .undecidable: "?"
        }
    }
}

extension SystemMatrix.Cell {
    /// For example `blocked by ats.tls-version`.
    var words: String {
        switch verdict {
        case .allowed: "allowed"
        case .blocked: "blocked" + (rule.map { " by \($0.rawValue)" } ?? "")
        case .failed: "failed" + (rule.map { " by \($0.rawValue)" } ?? "")
        case .outside: "outside ATS"
        case .undecidable: "unknown" + (why.map { ": \($0)" } ?? "")
        }
    }
}

extension DictionaryUse.Part {
    /// Why the key is needed, or can be removed.
    var useWords: String {
        if let why { return "Unused: \(why)" }
        var parts: [String] = []
        if needed > 0 {
            let rules = rules.isEmpty ? "" : " because of " + rules.map(\.rawValue).joined(separator: ", ")
            let more = hosts.count > 3 ? " and \(hosts.count - 3) more" : ""
            parts.append("Needed for \(hosts.prefix(3).joined(separator: ", "))\(more)\(rules)")
        }
        if undecided > 0 { parts.append("unknown for \(undecided) \(undecided == 1 ? "load" : "loads")") }
        return parts.joined(separator: "; ")
    }
}

extension PropertyNode {
    /// The value in one line; for a dictionary, its keys and their values.
    var words: String {
        switch value {
        case .boolean(let flag): String(flag)
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .string(let text): text
        case .data, .date: value.kind
        case .array(let nodes): nodes.map(\.words).joined(separator: ", ")
        case .dictionary(let members):
            members.map { "\($0.key) = \($0.node.words)" }.joined(separator: ", ")
        }
    }
}
