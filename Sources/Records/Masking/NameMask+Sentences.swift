import ATSPolicy
import Text

/// Names within other texts.
extension NameMask {
    /// Masks URLs and hosts in a sentence, such as a line of a log.
    public func sentence(_ text: String) -> String { sentence(text, KnownNames()) }

    /// Masks URLs, hosts and known names in a sentence, a device's line or a key path.
    func sentence(_ text: String, _ known: KnownNames) -> String {
        var text = hidesAll ? text.replacingPins(pin) : text
        for (name, mask) in known.names where text.contains(name) { text = text.replacingWhole(name, with: mask) }
        // Queries were masked before.
        var urls = URLMask(keepsQueryValues: true, names: self)
        return urls.sentence(text)
    }

    /// Masks the parts of a sentence that are not URLs: hosts and paths.
    func words(_ text: String) -> String {
        let text = barePaths(in: text)
        guard text.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":") }) || hasSingleLabels
        else {
            return text
        }
        var kept = ""
        var rest = text.utf8[...]
        while let start = rest.firstIndex(where: Self.isWord) {
            kept += Substring(rest[..<start])
            let end = rest[start...].firstIndex { !Self.isWord($0) } ?? rest.endIndex
            kept += word(String(Substring(rest[start..<end])))
            rest = rest[end...]
        }
        return kept + Substring(rest)
    }

    /// Masks paths without an origin. A path begins after whitespace or a quotation mark, and ends before one.
    private func barePaths(in text: String) -> String {
        guard hidesPaths, text.utf8.contains(UInt8(ascii: "/")) else { return text }
        var kept = ""
        var rest = text[...]
        while let character = rest.first {
            guard character == "/", kept.last.map(Self.isAround) ?? true else {
                kept.append(character)
                rest.removeFirst()
                continue
            }
            let bare = rest.prefix { !Self.isAround($0) }
            let path = bare.prefix { $0 != "?" && $0 != "#" }
            let end = path.reversed().prefix { ".,;:".contains($0) }.count
            kept += self.path(String(path.dropLast(end)))
            // If all names of a path are hidden, its query is too.
            kept += hidesAll && path.count < bare.count ? "?***" : bare.dropFirst(path.count - end)
            rest = rest.dropFirst(bare.count)
        }
        return kept
    }

    static func isAround(_ character: Character) -> Bool {
        character.isWhitespace || "\"'“”‘’()<>[]=".contains(character)
    }

    private var hasSingleLabels: Bool { hosts.contains { !$0.name.contains(".") } }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: byte == UInt8(ascii: "-") || ".:_*".utf8.contains(byte)
        }
    }

    /// Masks a run of letters: a host, possibly with a port or punctuation, or a key path that contains a host.
    private func word(_ word: String) -> String {
        let core = String(word.reversed().drop { $0 == "." || $0 == ":" }.reversed())
        let end = word.dropFirst(core.count)
        if IPAddress(core) != nil { return host(core) + end }
        return core.split(separator: ":", omittingEmptySubsequences: false).map(keyPath).joined(separator: ":") + end
    }

    /// Masks the hosts of a key path. Keys begin with `NS`; everything between them is a host.
    private func keyPath(_ text: Substring) -> String {
        if IPAddress(text) != nil { return host(String(text)) }
        var parts: [String] = []
        var labels: [Substring] = []
        func flush() {
            if !labels.isEmpty { parts.append(named(labels.joined(separator: "."))) }
            labels = []
        }
        for label in text.split(separator: ".", omittingEmptySubsequences: false) {
            if label.hasPrefix("NS"), label.dropFirst(2).first?.isUppercase == true {
                flush()
                parts.append(String(label))
            } else {
                labels.append(label)
            }
        }
        flush()
        return parts.joined(separator: ".")
    }

    private func named(_ word: String) -> String {
        guard let kept = keptLabels(of: word.asciiLowered) else { return word }
        guard kept == 0, hidesEveryHost else { return host(word) }
        return looksLikeHost(word) ? host(word) : word
    }

    /// True for a word with a dot, except for rule ids, common file names and numbers. Used if every host is hidden.
    private func looksLikeHost(_ word: String) -> Bool {
        let labels = word.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1, !labels.contains(""), let last = labels.last?.asciiLowered else { return false }
        guard last.utf8.count > 1, last.hasPrefix("xn--") || last.allSatisfy({ ("a"..."z").contains($0) }) else {
            return false
        }
        return RuleID(rawValue: word) == nil && !Self.fileExtensions.contains(last)
    }

    private static let fileExtensions: Set<String> = ["plist", "json", "pem", "sqlite", "conf", "framework"]
}

extension String {
    /// Replaces `name` unless a letter, digit or hyphen is next to it. Before a path one may be.
    fileprivate func replacingWhole(_ name: String, with mask: String) -> String {
        var kept = ""
        var rest = self[...]
        while let place = rest.firstRange(of: name) {
            let before = name.hasPrefix("/") ? nil : rest[..<place.lowerBound].last
            let isWhole = ![before, rest[place.upperBound...].first].contains { neighbour in
                neighbour.map { $0.isLetter || $0.isNumber || $0 == "-" } ?? false
            }
            kept += rest[..<place.lowerBound]
            kept += isWhole ? mask : name
            rest = rest[place.upperBound...]
        }
        return kept + rest
    }
}
