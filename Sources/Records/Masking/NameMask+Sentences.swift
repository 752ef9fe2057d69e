public import ATSPolicy
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
        byte.isAlphanumeric || byte == UInt8(ascii: "-") || ".:_*".utf8.contains(byte)
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

extension NameMask {
    /// Returns a dictionary for reports. Its entries have the same names as masked loads.
    public func declaration(_ declaration: Declaration) -> Declaration {
        self.declaration(declaration, keepingNamesOf: [])
    }

    /// Returns a dictionary for loads that may be older than the patterns. Entries that serve hosts recorded
    /// by name keep their names, and come before the masked entries.
    ///
    /// - Parameter hosts: hosts of the loads.
    public func declaration(_ declaration: Declaration, meeting hosts: some Collection<String>) -> Declaration {
        // A masked address looks like any other.
        let named = hosts.filter { IPAddress($0) == nil && host($0) != $0 }
        guard named.isEmpty || hosts.contains(where: holdsToken) else { return declaration }
        return self.declaration(declaration, keepingNamesOf: named)
    }

    private func holdsToken(_ host: String) -> Bool {
        host.split(separator: ".").contains { isToken(String($0)) }
    }

    private func declaration(_ declaration: Declaration, keepingNamesOf hosts: [String]) -> Declaration {
        var masked = declaration
        masked.source = declaration.source.map(file)
        masked.bundleID = declaration.bundleID.map(bundle)
        masked.members = members(declaration.members, keeping: hosts)
        masked.strays = declaration.strays.map(stray)
        masked.notes = declaration.notes.map { sentence($0) }
        return masked
    }

    private func members(_ members: [PropertyMember], keeping hosts: [String]) -> [PropertyMember] {
        members.map { member in
            var masked = member
            masked.node.value = value(member.node.value, of: member.key, keeping: hosts)
            return masked
        }
    }

    /// Masks members whose keys are hosts.
    private func entries(_ members: [PropertyMember], keeping hosts: [String]) -> [PropertyMember] {
        var entries: [PropertyMember] = []
        for member in self.members(members, keeping: []) {
            let name = HostGrammar.normalized(member.key)
            if hosts.contains(where: { HostGrammar.isHost($0, atOrBelow: name) }) { entries.append(member) }
            var masked = member
            masked.key = entry(member.key)
            // Loads of different age need both names of a host; do not repeat equal entries.
            if !entries.contains(masked) { entries.append(masked) }
        }
        return entries
    }

    private func value(_ value: PropertyValue, of key: String, keeping hosts: [String]) -> PropertyValue {
        switch value {
        case .string(let text): .string(key == ATSKey.pinIdentity ? pin(text) : sentence(text))
        case .array(let nodes):
            .array(nodes.map { PropertyNode(self.value($0.value, of: key, keeping: hosts), line: $0.line) })
        case .dictionary(let members):
            .dictionary(
                key == ATSKey.exceptionDomains || key == ATSKey.pinnedDomains
                    ? entries(members, keeping: hosts) : self.members(members, keeping: hosts))
        case .boolean, .integer, .real, .data, .date: value
        }
    }

    private func stray(_ stray: StrayKey) -> StrayKey {
        StrayKey(keyPath: sentence(stray.keyPath), line: stray.line, kind: stray.kind)
    }

    /// Masks the path of a file. A usual file extension stays, because it shows the file's type.
    public func file(_ path: String) -> String {
        guard hidesAll, path != "-" else { return path }
        let name = path.split(separator: "/").last ?? ""
        let ending = name.split(separator: ".").dropFirst().last.map { ".\($0)" } ?? ""
        let isUsual = Self.fileEndings.contains(ending.asciiLowered)
        guard !isToken(String(name.prefix { $0 != "." })) else { return path }
        return token("f", path) + (isUsual ? ending : "")
    }

    /// Extensions of files that contain dictionaries.
    private static let fileEndings: Set<String> = [
        ".plist", ".app", ".appex", ".ipa", ".xcarchive", ".json", ".zip", ".xml", ".txt",
    ]

    /// Masks the name of a recording.
    public func recording(_ name: String) -> String { hidesAll ? token("r", name) : name }

    /// Masks the label of a listener.
    func label(_ label: String) -> String { hidesAll ? token("l", label) : label }

    /// Masks a bundle identifier.
    func bundle(_ bundle: String) -> String { hidesAll ? token("b", bundle) : bundle }

    /// Masks a User-Agent, except for the products of the system.
    func userAgent(_ agent: String) -> String {
        guard hidesAll else { return agent }
        let products = agent.split(separator: " ").filter { $0.hasPrefix("CFNetwork/") || $0.hasPrefix("Darwin/") }
        return ([token("u", agent)] + products.map(String.init)).joined(separator: " ")
    }
}

extension String {
    /// Replaces each word that may be a pin: 43 digits of Base64 and their padding (RFC 4648 section 4).
    func replacingPins(_ mask: (String) -> String) -> String {
        guard utf8.contains(UInt8(ascii: "=")) else { return self }
        var kept = ""
        var rest = utf8[...]
        while let start = rest.firstIndex(where: \.isBase64Digit) {
            kept += Substring(rest[..<start])
            let end = rest[start...].firstIndex { !$0.isBase64Digit } ?? rest.endIndex
            let word = String(Substring(rest[start..<end]))
            rest = rest[end...]
            if word.utf8.count == 43, rest.first == UInt8(ascii: "=") {
                kept += mask(word + "=")
                rest.removeFirst()
            } else {
                kept += word
            }
        }
        return kept + Substring(rest)
    }
}

/// A line of a device's log: a sentence that contains certificates as `<cert(0x7f…) s: SUBJECT i: ISSUER>`.
enum DeviceLine {
    /// Returns the line with its names masked.
    static func masked(_ text: String, by names: NameMask, _ known: KnownNames) -> String {
        guard names.hidesAll, text.contains(certificate) else { return names.sentence(text, known) }
        var kept = ""
        var rest = text[...]
        while let mark = rest.firstRange(of: certificate) {
            let end = rest[mark.lowerBound...].firstIndex(of: ">") ?? rest.endIndex
            kept += names.sentence(String(rest[..<mark.lowerBound]), known)
            kept += "<cert s: " + names.token("d", String(rest[mark.upperBound..<end]))
            rest = rest[end...]
        }
        return kept + names.sentence(String(rest), known)
    }

    private static let certificate = "<cert("
}
