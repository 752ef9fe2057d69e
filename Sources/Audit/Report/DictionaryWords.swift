import ATSPolicy
import Text

/// A dictionary in sentences, as one release reads it.
struct DictionaryWords {
    private let keys: InterpretedDeclaration
    private let profile: OSProfile

    init(_ declaration: Declaration, on profile: OSProfile) {
        keys = declaration.interpreted(for: profile)
        self.profile = profile
    }

    /// The first sentence: the rule for hosts without an entry.
    var headline: String {
        let loosening = keys.exceptions.count { $0.value.isLoosening }
        if isOff { return "ATS is off for every host without an entry." }
        let parts = [
            keys.allowsArbitraryLoadsInWebContent == true ? "off in web content" : nil,
            keys.allowsArbitraryLoadsForMedia == true ? "off for media" : nil,
        ].compactMap(\.self)
        let entries = loosening == 0 ? "" : " with exceptions for \(Self.count(loosening, "entry", "entries"))"
        return parts.isEmpty
            ? "ATS is in force\(entries.isEmpty ? " for every host" : entries)."
            : "ATS is \(parts.joined(separator: " and ")); it is in force for the app's other loads\(entries)."
    }

    /// True if NSAllowsArbitraryLoads counts (docs/law/rulings.md#siblings).
    var isOff: Bool { keys.allowsArbitraryLoads == true && !hasSibling }

    /// All sentences; the first is ``headline``.
    var sentences: [String] {
        [headline] + globals + entries + pins
    }

    private var hasSibling: Bool {
        keys.allowsArbitraryLoadsForMedia != nil || keys.allowsArbitraryLoadsInWebContent != nil
            || keys.allowsLocalNetworking != nil
    }

    private var globals: [String] {
        var lines: [String] = []
        if keys.allowsArbitraryLoads == true, hasSibling {
            lines.append(
                "NSAllowsArbitraryLoads is true, and \(profile.title) ignores it because a more specific key is present."
            )
        }
        if keys.allowsLocalNetworking == true { lines.append("Local hosts may use http.") }
        if let niap = keys.niap { lines.append("Every host must meet NIAP's TLS package \(niap.rawValue).") }
        return lines
    }

    private var entries: [String] {
        keys.exceptions.sorted { $0.key < $1.key }.map { key, entry in
            let scope = entry.includesSubdomains == true ? "\(key) and its subdomains" : key
            let effects = [
                entry.allowsInsecureHTTPLoads == true ? "http allowed" : nil,
                entry.minimumTLS.map { "TLS from \($0.declarationName.dropFirst(4)) on" },
                entry.requiresForwardSecrecy == false ? "no forward secrecy required" : nil,
                entry.niap.map { "NIAP's TLS package \($0.rawValue)" },
            ].compactMap(\.self)
            return "\(scope): " + (effects.isEmpty ? "no exception" : effects.joined(separator: ", ")) + "."
        }
    }

    private var pins: [String] {
        keys.pins.filter(\.hasIdentities).map { pin in
            let scope = pin.includesSubdomains ? "\(pin.domain) and its subdomains" : pin.domain
            let counts = [
                pin.leafIdentities.map { Self.count($0.count, "server key", "server keys") },
                pin.authorityIdentities.map { Self.count($0.count, "CA key", "CA keys") },
            ].compactMap(\.self)
            return "\(scope): pinned to \(counts.joined(separator: " and "))."
        }
    }

    static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }
}

extension ExceptionEntry {
    /// True if the entry allows more than the secure defaults.
    var isLoosening: Bool {
        allowsInsecureHTTPLoads == true || requiresForwardSecrecy == false || (minimumTLS ?? .tls12) < .tls12
    }
}
