public import ATSPolicy
import Text

/// A suggestion as JSON, and as text.
public struct SuggestionWords: Sendable {
    private let suggestion: Suggestion
    private let old: Declaration
    /// The recording's name; nil for all recordings of a store.
    private let recording: String?

    public init(_ suggestion: Suggestion, old: Declaration, recording: String?) {
        self.suggestion = suggestion
        self.old = old
        self.recording = recording
    }

    /// A property list in XML.
    public var plist: String { PropertyListText.document(suggestion.keys.members) }

    /// The diff from the old dictionary to the suggested one, both as XML with sorted keys; empty if they are equal.
    public var diff: String {
        LineDiff(old: PropertyListText.document(old.members.sorted), new: plist)
            .unified(oldName: old.source ?? "secure defaults", newName: "suggested")
    }

    /// A comment for a pull request.
    public var markdown: String {
        SuggestionMarkdown(suggestion: suggestion, recording: recording, diff: diff, propertyList: plist).text
    }

    /// One JSON object on one line; its shape is in docs/replay.md#suggest.
    public var json: String {
        JSONValue.object([
            ("recording", .text(recording)), ("policy", .text(old.source)),
            ("os", .texts(suggestion.systems)), ("judged", .number(suggestion.judged)),
            ("passing", .number(suggestion.passing)),
            ("dictionary", JSONValue(.dictionary(suggestion.keys.members))),
            ("entries", .array(suggestion.entries.map(json))),
            (
                "unused",
                .array(suggestion.unused.map { .object([("entry", .string($0.entry)), ("why", .string($0.why))]) })
            ),
            ("removed", .array(suggestion.removed.map(json))),
            (
                "replaced",
                suggestion.replaced.map {
                    .object([
                        ("key", .string($0.name)), ("hosts", .texts($0.hosts)), ("unknownLoads", .number($0.unknown)),
                    ])
                } ?? .null
            ),
            ("kept", .texts(suggestion.kept)),
            ("helpless", .array(suggestion.unfixable.map(json))),
            ("undecided", .array(suggestion.undecided.map(json))),
        ]).text
    }

    private func json(_ entry: Suggestion.Entry) -> JSONValue {
        .object([
            ("entry", .string(entry.name)), ("lost", .number(entry.lost)), ("rule", .text(entry.rule?.rawValue)),
            ("doubt", .text(entry.doubt?.why)), ("probe", .text(entry.doubt.map(probe))),
        ])
    }

    private func json(_ part: Suggestion.RemovedPart) -> JSONValue {
        .object([
            ("entry", .string(part.name)), ("key", .text(part.key)), ("line", .number(part.line)),
            ("loads", .number(part.loads)), ("lost", .number(part.lost)), ("unknown", .number(part.unknown)),
            ("hosts", .texts(part.hosts)),
        ])
    }

    private func json(_ open: Suggestion.OpenLoad) -> JSONValue {
        let reason: [(key: String, value: JSONValue)] =
            open.why == nil
            ? [("rule", .text(open.rule?.rawValue)), ("server", .texts(open.server))]
            : [("why", .text(open.why)), ("probe", .string(probe(open)))]
        return .object(
            [("url", .string(open.url)), ("host", .string(open.host)), ("os", .string(open.os))] + reason
                + [("loads", .number(open.loads))])
    }

    /// The result as several lines of text, each with a line break.
    public var text: String {
        let systems = suggestion.systems.joined(separator: ", ")
        var text = "the suggestion allows \(suggestion.passing) of \(suggestion.judged) loads on \(systems)\n"
        text += section("NEEDED, with the number of loads that need each") { suggestion.entries.map(lines).joined() }
        text += section("UNUSED in \(old.source ?? "the dictionary")") {
            suggestion.unused.map { row("\($0.entry): \($0.why)") }.joined()
        }
        text += section("REPLACED") { suggestion.replaced.map { row(words($0)) } ?? "" }
        text += section("KEPT, because they make ATS stricter") { suggestion.kept.map(row).joined() }
        text += section("NO KEY FIXES THESE") { suggestion.unfixable.map(lines).joined() }
        text += section("UNKNOWN") { suggestion.undecided.map(lines).joined() }
        return text
    }

    private func words(_ key: Suggestion.ReplacedKey) -> String {
        let hosts = key.hosts.isEmpty ? nil : "needed by: \(key.hosts.joined(separator: ", "))"
        let unknown = key.unknown == 0 ? nil : "unknown for \(key.unknown.loads)"
        return "\(key.name): " + [hosts, unknown].compactMap(\.self).joined(separator: "; ")
    }

    private func section(_ title: String, _ body: () -> String) -> String {
        let body = body()
        return body.isEmpty ? "" : "\n\(title)\n\(body)"
    }

    private func lines(_ entry: Suggestion.Entry) -> String {
        let keys = entry.keys?.settings.map { "\($0.key) = \($0.value.words)" }.joined(separator: ", ") ?? "true"
        let rule = entry.rule.map { " (\($0.rawValue))" } ?? ""
        var text = row("\(entry.name): \(keys)") + detail("\(entry.lost.loads)\(rule)")
        if let doubt = entry.doubt, let why = doubt.why {
            text += detail("may not be needed: \(why)") + detail(probe(doubt))
        }
        return text
    }

    private func lines(_ open: Suggestion.OpenLoad) -> String {
        let rule = open.rule.map { $0.rawValue + ", " } ?? ""
        let head = row("\(open.url): \(rule)\(open.os), \(open.loads.loads)")
        guard let why = open.why else { return head + open.server.map(detail).joined() }
        return head + detail(why) + detail(probe(open))
    }

    private func row(_ text: String) -> String { "  \(text.printable)\n" }
    private func detail(_ text: String) -> String { "      \(text.printable)\n" }

    private func probe(_ open: Suggestion.OpenLoad) -> String {
        "atsgate probe --os \(open.os) \(open.origin.shellWord)"
    }
}

extension JSONValue {
    /// Data and dates, which no ATS key has as a value, become null.
    fileprivate init(_ value: PropertyValue) {
        switch value {
        case .boolean(let flag): self = .flag(flag)
        case .integer(let number): self = .number(Int(number))
        case .real(let number): self = .string(String(number))
        case .string(let text): self = .string(text)
        case .data, .date: self = .null
        case .array(let nodes): self = .array(nodes.map { JSONValue($0.value) })
        case .dictionary(let members): self = .object(members.map { ($0.key, JSONValue($0.node.value)) })
        }
    }
}
