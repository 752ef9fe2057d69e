import Mustache
import Resources
import Text

/// The templates of reports, with foreign text made safe in them.
struct HTMLTemplate: Sendable {
    private let template: MustacheTemplate

    /// The page around everything.
    static let report = HTMLTemplate(Resource("report/report.mustache").text)
    /// One host and rule.
    static let card = HTMLTemplate(Resource("report/card.mustache").text)
    static let style = Resource("report/report.css").text
    static let script = Resource("report/report.js").text
    /// SHA-256 of the script, by which a browser lets it run (Content Security Policy Level 3, section 8.4). A test
    /// holds it against the script.
    static let scriptDigest = "sha256-8H5Ceftb6QHdWZ9Z4Qr8x7IHuF2+Gpsa8WmT0LSCivk="

    private init(_ text: String) {
        _ = Self.contentType
        do {
            template = try MustacheTemplate(string: text)
        } catch {
            preconditionFailure("a template of our own is wrong: \(error)")
        }
    }

    func text(_ values: [String: Any]) -> String { template.render(values) }

    /// Every template names it in its first line.
    private static let contentType: Void = MustacheContentTypes.register(Scalars(), named: "SCALARS")

    /// Escapes by code point. The package's own type for HTML escapes by character, and to Swift a quotation mark with a
    /// combining accent is another character than the mark, but not to a browser (swift-mustache 2.1.1).
    private struct Scalars: MustacheContentType {
        func escapeText(_ text: String) -> String {
            var escaped = ""
            for scalar in text.unicodeScalars {
                switch scalar {
                case "'": escaped += "&#39;"
                case "\n", "\t": escaped.unicodeScalars.append(scalar)
                // What nobody made printable before is so now.
                default: escaped += XMLText.escaped(String(scalar).printable)
                }
            }
            return escaped
        }
    }
}

extension String {
    /// Foreign text for a page: printable, and no longer than anybody reads.
    var shown: String { clipped(to: 600) }

    /// At most `limit` characters, with an ellipsis in place of the rest; printable.
    func clipped(to limit: Int) -> String {
        let text = prefix(limit + 1).printable
        return text.count > limit ? text.prefix(max(limit - 1, 0)) + "…" : text
    }
}
