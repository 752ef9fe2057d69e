import ATSPolicy
import Text
import Topics

/// A key of the dictionary, from its row in the documentation.
struct KeyExplanation {
    /// As typed.
    private let text: String
    private let key: String
    /// The sentence for a spelling that is not that of the key.
    private let remark: String?

    /// - Returns: nil for text that resembles none.
    init?(_ text: String) {
        let keys = Self.keys
        self.text = text
        if keys.contains(text) {
            (key, remark) = (text, nil)
        } else if ["ats", "app transport security"].contains(text.lowercased()) {
            (key, remark) = (ATSKey.root, nil)
        } else if let current = ATSKey.current(forLegacy: text) {
            (key, remark) = (current, "An old spelling of \(current), which only releases up to 18.3 read.")
        } else if let near = Self.near(text) {
            (key, remark) = near
        } else {
            return nil
        }
    }

    /// The key that a misspelt one resembles, and the sentence about it.
    private static func near(_ text: String) -> (key: String, remark: String)? {
        guard !text.contains("."), !text.contains(" "), !text.contains("/") else { return nil }
        let words = ["ns", "arbitraryloads", "exception", "transportsecurity", "pinned", "spki", "forwardsecrecy"]
        let lowered = text.lowercased()
        guard words.contains(where: { $0 == "ns" ? lowered.hasPrefix($0) : lowered.contains($0) }) else { return nil }
        let names = [text, lowered.hasPrefix("ns") || lowered.hasPrefix("spki") ? nil : "NS" + text].compactMap(\.self)
        for name in names {
            let near = keys.first { $0.lowercased() == name.lowercased() } ?? ATSKey.nearest(to: name, among: keys)
            if let near { return (near, "No release reads this key. It resembles \(near):") }
            // A misspelling of an old spelling.
            if let old = ATSKey.nearest(to: name, among: ATSKey.legacy), let key = ATSKey.current(forLegacy: old) {
                return (key, "No release reads this key. It resembles \(old), an old spelling of \(key):")
            }
        }
        return nil
    }

    private static let pins = [ATSKey.leafPins, ATSKey.caPins, ATSKey.pinIdentity]
    private static let keys = [ATSKey.root] + ATSKey.global + ATSKey.exception + pins

    /// The page and heading with the key's row.
    private var topic: String {
        if key == ATSKey.root { return "law/keys#when-it-applies" }
        if Self.pins.contains(key) { return "law/pinning#shape" }
        return ATSKey.global.contains(key) ? "law/keys#global-keys" : "law/keys#entry-keys"
    }

    /// The place of the key in an Info.plist.
    private var place: String {
        if key == ATSKey.root { return "the top level of Info.plist" }
        if key == ATSKey.pinIdentity { return "each element of \(ATSKey.leafPins) and \(ATSKey.caPins)" }
        if Self.pins.contains(key) { return "an entry of \(ATSKey.pinnedDomains)" }
        return ATSKey.global.contains(key) ? ATSKey.root : "an entry of \(ATSKey.exceptionDomains)"
    }

    /// The columns of the key's row, by their headings; empty if the page describes the key in sentences.
    private var row: [(column: String, cell: String)] {
        let rows = Topic(topic)?.rows ?? []
        guard let head = rows.first, let row = rows.first(where: { $0.first == key }) else { return [] }
        return Array(zip(head, row).dropFirst()).map { (column: $0, cell: $1) }
    }

    /// Several lines of text for the user.
    var words: String {
        let width = 2 + (row.map(\.column.count) + ["place".count, 10]).reduce(0, max)
        var lines = [remark == nil ? key : text]
        if let remark { lines.append("  " + remark) }
        if remark != nil, text != key { lines.append(key) }
        lines.append("  " + "place".padded(to: width) + place)
        lines += row.map { "  " + $0.column.padded(to: width) + $0.cell }
        if row.isEmpty { lines += sentences }
        return
            (lines + [
                "  " + "more".padded(to: width) + "atsgate explain \(topic)",
                "  " + "check".padded(to: width) + "atsgate lint MyApp.app",
            ])
            .joined(separator: "\n")
    }

    /// The facts of the section, for a key without a row.
    private var sentences: [String] {
        guard let section = Topic(topic) else { return [] }
        let facts = section.rows.dropFirst(2).compactMap(\.first)
        return (facts.isEmpty ? section.sentences : Array(facts)).map { "  " + $0 }
    }

    /// One object on one line.
    var json: String {
        JSONValue.object(
            [
                ("key", JSONValue.string(key)), ("asked", .string(text)), ("remark", .text(remark)),
                ("place", .string(place)), ("topic", .string(topic)),
            ] + row.map { ($0.column.replacing(/, .*/, with: ""), .string($0.cell)) }
        ).text
    }
}
