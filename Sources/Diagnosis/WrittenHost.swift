import ATSPolicy
public import Text

/// A host as a person writes it in options, files and calls: in any spelling, or as a pattern with `*` and `?`.
public struct WrittenHost: Sendable, Hashable {
    /// The spelling of ``HostGrammar/normalized(_:)``, with international names in ASCII (`xn--`), also in patterns.
    public let spelling: String
    /// True if it has a `*` or a `?`.
    public let isPattern: Bool
    /// Patterns that match the host as records store it.
    public let globs: [Glob]

    /// - Throws: the fault of a text that can neither be nor match a host, and how to write it.
    public init(_ text: String) throws(WrittenHostFault) {
        isPattern = text.contains(where: Self.isWild)
        // A port, or a part of a URL, would never match.
        if text.contains("://"), let url = try? URLText.parse(text) { throw .isURL(text, host: url.target.host) }
        let inner = text.hasPrefix("[") && text.hasSuffix("]") ? text.dropFirst().dropLast() : text[...]
        if inner.contains(":") {
            spelling = try Self.address(inner, of: text)
            // Records keep the client's spelling, because the rules use it (docs/law/domains.md#matching); a report may
            // have shown it.
            globs = (inner == spelling ? [spelling] : [spelling, String(inner)]).map(Glob.init)
        } else {
            spelling = try Self.name(text)
            // A client may have written the dot after a name.
            globs = (spelling.hasSuffix("*") ? [spelling] : [spelling, spelling + "."]).map(Glob.init)
        }
    }

    /// - Parameter inner: `text` without enclosing brackets.
    private static func address(_ inner: Substring, of text: String) throws(WrittenHostFault) -> String {
        if let address = IPAddress(inner) { return address.description }
        // `probe` accepts `fe80::1%en0`.
        let (place, zone) = (inner.prefix { $0 != "%" }, inner.drop { $0 != "%" }.dropFirst())
        if let address = IPAddress(place), HostGrammar.fault(inName: zone) == nil {
            return "\(address)%\(zone.asciiLowered)"
        }
        if inner.contains(where: isWild), inner.allSatisfy({ $0.isHexDigit && $0.isASCII || ":.*?".contains($0) }) {
            return inner.asciiLowered
        }
        if let place = try? Authority(text[...]) { throw .hasPort(text, host: place.host) }
        throw .isNone(text, AuthorityFault(.notIPv6, at: 0))
    }

    private static func name(_ text: String) throws(WrittenHostFault) -> String {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        var ascii: [String] = []
        for label in labels {
            // A part of an international label has no ASCII form.
            let isForeign = !label.utf8.allSatisfy { $0 < 0x80 }
            guard !isForeign || !label.contains(where: isWild), let known = InternationalHost.ascii(label) else {
                throw .isNone(text, AuthorityFault(.foreignLetter, at: 0))
            }
            ascii.append(known)
        }
        let name = ascii.joined(separator: ".")
        // A wildcard stands for any text, so a letter replaces it for the check.
        let held = String(name.map { isWild($0) ? "a" : $0 })
        if let fault = HostGrammar.fault(inName: held[...]) { throw .isNone(text, fault) }
        return HostGrammar.normalized(name)
    }

    private static func isWild(_ character: Character) -> Bool { character == "*" || character == "?" }
}

/// The reason why a text is not a host.
public enum WrittenHostFault: Error, Sendable, Hashable, CustomStringConvertible {
    case isURL(String, host: String)
    case hasPort(String, host: String)
    case isPattern(String)
    case isNone(String, AuthorityFault)

    /// A sentence without a full stop.
    public var description: String {
        switch self {
        case .isURL(let text, let host): "\"\(text.printable)\" is a URL: write its host alone, \(host)"
        case .hasPort(let text, let host): "\"\(text.printable)\" has a port: write the host alone, \(host)"
        case .isPattern(let text): "\"\(text.printable)\" is a pattern: write each host in full"
        case .isNone(let text, let fault):
            "\"\(text.printable)\" is not a host: \(fault); write a host such as api.example.com or 2001:db8::1"
        }
    }
}
