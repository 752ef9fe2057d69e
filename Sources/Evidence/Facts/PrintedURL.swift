import Text

/// An http or https URL as a line prints it.
struct PrintedURL: Hashable {
    let text: String
    let scheme: String
    /// nil if it is redacted or cut.
    let host: String?
    /// True if the text ends within the URL, so that its last part may be missing.
    let isCut: Bool
    /// True if the system replaced a part of it: `<private>`, `<redacted>`.
    let isRedacted: Bool

    /// The URL that begins at `start`.
    init?(_ text: LogText, at start: Int) {
        let scheme: StaticString
        if text.has("https://", at: start) {
            scheme = "https://"
        } else if text.has("http://", at: start) {
            scheme = "http://"
        } else if text.has("wss://", at: start) {
            scheme = "wss://"
        } else if text.has("ws://", at: start) {
            scheme = "ws://"
        } else {
            return nil
        }
        let end = Self.end(of: text[0, start + urlBytes], from: start)
        var part = text[start, end]
        while let last = part.bytes.last, last == UInt8(ascii: ",") || last == UInt8(ascii: ";") {
            part = part[0, part.count - 1]
        }
        self.text = part.string
        let authority = scheme.utf8CodeUnitCount
        isCut = end >= text.count || end - start >= urlBytes
        isRedacted = part.contains("<private>") || part.contains("<redacted>")
        self.scheme = scheme.description.hasPrefix("https") || scheme.description.hasPrefix("wss") ? "https" : "http"
        let authorityEnd = part.end(from: authority) { !Self.endsAuthority($0) }
        // A host whose end is missing may be longer.
        let isWhole = authorityEnd < part.count || !isCut
        host = isWhole ? Self.host(part[authority, authorityEnd].string) : nil
    }

    /// The first URL after `word`.
    init?(in text: LogText, after word: StaticString) {
        guard let place = text.after(word) else { return nil }
        self.init(text, at: place)
    }

    /// The first URL at or after `start`.
    static func first(in text: LogText, from start: Int = 0) -> PrintedURL? {
        var place = start
        while let colon = text.find("://", from: place) {
            for length in [4, 5, 3, 2] where colon - length >= start {
                if let url = PrintedURL(text, at: colon - length) { return url }
            }
            place = colon + 3
        }
        return nil
    }

    private static func end(of text: LogText, from start: Int) -> Int {
        var place = start
        while place < text.count {
            let byte = text[place]
            if byte.isBlank || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "'") {
                break
            }
            if byte == UInt8(ascii: "<"), let close = redaction(text, place) {
                place = close
                continue
            }
            if byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">") || byte == UInt8(ascii: ";") { break }
            // A comma before a space ends it: that is how members of UserInfo are separated.
            if byte == UInt8(ascii: ","), text[place + 1].isBlank { break }
            place += 1
        }
        return place
    }

    private static func redaction(_ text: LogText, _ place: Int) -> Int? {
        for word in ["<private>", "<redacted>"] as [StaticString] where text.has(word, at: place) {
            return place + word.utf8CodeUnitCount
        }
        return nil
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    /// The host of `user@host:port`; nil if there is none, or if the system redacted it.
    static func host(_ authority: String) -> String? {
        var rest = authority[...]
        if let at = rest.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
        if rest.hasPrefix("[") {
            guard let close = rest.firstIndex(of: "]") else { return nil }
            return known(String(rest[rest.index(after: rest.startIndex)..<close]))
        }
        return known(String(rest.prefix { $0 != ":" }))
    }

    /// The name, unless it is a placeholder of the system.
    static func known(_ host: String) -> String? {
        guard !host.isEmpty, host.utf8.count <= hostBytes, !isRedacted(host), !host.contains("%@") else { return nil }
        return host
    }

    /// `Hostname#1feeda98`, `IPv4#…`, `IPv6#…` and `<private>`. Source: Apple developer forums, thread 705810.
    static func isRedacted(_ host: String) -> Bool {
        host.hasPrefix("<") || ["Hostname#", "IPv4#", "IPv6#"].contains { host.hasPrefix($0) }
    }

    /// RFC 1035 section 2.3.4, with room for brackets and zones.
    private static let hostBytes = 264
}

/// Longest URL that is kept, in bytes; of a longer one only the host is.
private let urlBytes = 8 << 10
