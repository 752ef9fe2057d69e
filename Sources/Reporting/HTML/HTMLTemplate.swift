import Mustache
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
