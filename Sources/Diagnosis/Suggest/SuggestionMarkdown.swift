import ATSPolicy
import Text

/// A suggestion as a comment for a pull request: the keys that can go with the loads that prove it, the parts without a
/// load in the recording, and the dictionary that remains.
struct SuggestionMarkdown {
    let suggestion: Suggestion
    /// nil for all recordings of a store.
    let recording: String?
    /// The difference between the old dictionary and the suggestion; empty if there is none.
    let diff: String
    let propertyList: String

    private var proven: [Suggestion.RemovedPart] { suggestion.removed.filter(\.isProven) }
    private var unseen: [Suggestion.RemovedPart] { suggestion.removed.filter { $0.loads == 0 } }
    private var unproven: [Suggestion.RemovedPart] { suggestion.removed.filter { $0.lost + $0.unknown > 0 } }

    var text: String {
        [
            head, parts("Keys that can go", proven, proof), notSeen,
            parts("Keys that the suggestion lacks, although loads need them", unproven, need), dictionary, needed,
            open("Loads that no key allows", suggestion.unfixable), open("Unknown", suggestion.undecided),
        ]
        .filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private var head: String {
        let count = proven.count
        let title = count == 0 ? "no key can go" : count == 1 ? "1 key can go" : "\(count) keys can go"
        let missing = unseen.isEmpty ? "" : ", \(unseen.count) not seen in the recording"
        let name = recording.map { "Recording \(escaped($0)): the" } ?? "The"
        return "### atsgate suggest: \(title)\(missing)\n\n\(name) suggestion allows \(suggestion.passing) of "
            + "\(suggestion.judged.loads) on \(escaped(suggestion.systems.joined(separator: ", "))).\n"
    }

    /// A table of removed parts; empty without one.
    private func parts(
        _ title: String, _ parts: [Suggestion.RemovedPart], _ words: (Suggestion.RemovedPart) -> String
    ) -> String {
        guard !parts.isEmpty else { return "" }
        let table = TextTable(
            ["key", "line", "loads"], parts.map { [$0.words, $0.line.map(String.init) ?? "", words($0)] }, numbers: [1])
        return "**\(title)** (\(parts.count))\n\n" + table.markdownHead + limited(table.markdownRows)
    }

    private func proof(_ part: Suggestion.RemovedPart) -> String {
        let verb = part.loads == 1 ? "has" : "have"
        return "\(part.loads.loads) \(verb) the same result under the dictionary below: \(hosts(part))"
    }

    private func need(_ part: Suggestion.RemovedPart) -> String {
        let lost = part.lost == 0 ? nil : "\(part.lost) of \(part.loads.loads) would be lost"
        let unknown = part.unknown == 0 ? nil : "unknown for \(part.unknown.loads)"
        return [lost, unknown].compactMap(\.self).joined(separator: ", ") + ": " + hosts(part)
    }

    private func hosts(_ part: Suggestion.RemovedPart) -> String {
        let more = part.hosts.count - Self.mostHosts
        return part.hosts.prefix(Self.mostHosts).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }

    private var notSeen: String {
        guard !unseen.isEmpty else { return "" }
        let rows = unseen.map { "- \(escaped($0.words))\($0.line.map { " (line \($0))" } ?? "")\n" }
        return "**Not seen in the recording** (\(unseen.count))\n\n" + limited(rows)
            + "\nNo load used these, which proves nothing: the dictionary below lacks them. Load from these hosts, or "
            + "keep the entries.\n"
    }

    private var dictionary: String {
        let title = "**The dictionary that remains**\n\n"
        guard !diff.isEmpty else { return title + "Unchanged: it is the smallest one for these loads.\n" }
        guard diff.utf8.count <= Self.mostBlockBytes else {
            return title + "It has too many lines for a comment; `atsgate suggest --format diff` prints them.\n"
        }
        let whole = MarkdownText.details("The whole dictionary", block(propertyList, "xml"))
        return title + block(diff, "diff") + "\n" + whole
    }

    /// With spaces for tabs, which would be escaped.
    private func block(_ text: String, _ language: String) -> String {
        MarkdownText.block(text.replacing("\t", with: "  "), language)
    }

    private var needed: String {
        let rows = suggestion.entries.map { entry in
            let keys = entry.keys?.settings.map { "\($0.key) = \($0.value.words)" }.joined(separator: ", ") ?? "true"
            let doubt = entry.doubt?.why.map { ", may not be needed: \($0)" } ?? ""
            return [entry.name, keys, entry.lost.loads + doubt, entry.rule?.rawValue ?? ""]
        }
        guard !rows.isEmpty else { return "" }
        let table = TextTable(["key", "value", "without it, blocked", "rule"], rows, codes: [3])
        return MarkdownText.details("Needed (\(rows.count))", table.markdownHead + limited(table.markdownRows))
    }

    private func open(_ title: String, _ loads: [Suggestion.OpenLoad]) -> String {
        guard !loads.isEmpty else { return "" }
        let rows = loads.map { load in
            let rule = load.rule.map { ", `\($0.rawValue)`" } ?? ""
            let why = ([load.why].compactMap(\.self) + load.server).map(escaped).joined(separator: "<br>")
            return "- \(escaped(load.url))\(rule), \(load.os), \(load.loads.loads): \(why)\n"
        }
        return MarkdownText.details("\(title) (\(rows.count))", limited(rows))
    }

    /// The rows that fit in a comment, and the number of the others.
    private func limited(_ rows: [String]) -> String {
        var text = ""
        for (index, row) in rows.enumerated() {
            guard text.utf8.count + row.utf8.count <= Self.mostTableBytes else {
                return text + "\n\(rows.count - index) more are not listed here.\n"
            }
            text += row
        }
        return text
    }

    private func escaped(_ text: String) -> String { MarkdownText.escaped(text) }

    private static let mostHosts = 5
    /// Six lists and two blocks of these lengths fit the 65,536 characters of a comment on GitHub.
    private static let mostTableBytes = 5_000
    private static let mostBlockBytes = 15_000
}
