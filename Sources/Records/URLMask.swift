/// Masks the private parts of URLs.
struct URLMask {
    /// The parts that were hidden in the last texts.
    private(set) var hiddenParts: Parts = []
    let keepsQueryValues: Bool
    /// Masks hosts and paths; nil to keep all of them.
    private let names: NameMask?

    /// UTF-8 in memory that the caller owns; its indexes are plain numbers.
    typealias Text = Slice<UnsafeBufferPointer<UInt8>>

    /// The parts of a URL that can carry a secret.
    struct Parts: OptionSet {
        let rawValue: UInt8
        static let userinfo = Parts(rawValue: 1)
        static let query = Parts(rawValue: 2)
        static let fragment = Parts(rawValue: 4)
        static let host = Parts(rawValue: 8)
        static let path = Parts(rawValue: 16)
        static let parameters = Parts(rawValue: 32)

        /// The names for a record's `masked` list, for example `load.url.query`.
        func names(in owner: String) -> [String] {
            let names: [(Parts, String)] = [
                (.userinfo, "userinfo"), (.host, "host"), (.path, "path"), (.parameters, "parameters"),
                (.query, "query"), (.fragment, "fragment"),
            ]
            return names.compactMap { part, name in contains(part) ? owner + name : nil }
        }
    }

    init(keepsQueryValues: Bool, names: NameMask? = nil) {
        self.keepsQueryValues = keepsQueryValues
        self.names = names
    }

    /// Masks the part after an origin: `/p;s=1?a=1&b#c` becomes `/p;s=***?a=***&***#***`. A piece without `=` counts as
    /// a value.
    mutating func path(_ path: String) -> String {
        var path = path
        var kept: [UInt8] = []
        kept.reserveCapacity(path.utf8.count + stars.count)
        path.withUTF8 { self.path($0[...], to: &kept) }
        return String(decoding: kept, as: UTF8.self)
    }

    private mutating func path(_ path: Text, to kept: inout [UInt8]) {
        let fragment = path.firstIndex(of: hash)
        let query = path[..<(fragment ?? path.endIndex)].firstIndex(of: question)
        let bare = path[..<(query ?? fragment ?? path.endIndex)]
        segments(bare, to: &kept)
        if let query {
            self.query(path[query..<(fragment ?? path.endIndex)].dropFirst(), to: &kept)
        }
        if let fragment {
            kept.append(hash)
            mask(path[fragment...].dropFirst(), as: .fragment, to: &kept)
        }
    }

    /// Masks the path alone. `;name=value` are parameters of a segment (RFC 3986 section 3.3), such as a session id.
    private mutating func segments(_ path: Text, to kept: inout [UInt8]) {
        guard !keepsQueryValues, let first = path.firstIndex(of: semicolon) else {
            return add(path, to: &kept, as: .path) { $0.path($1) }
        }
        var masked = Array(path[..<first])
        var rest = path[first...]
        while let byte = rest.first {
            masked.append(byte)
            rest = rest.dropFirst()
            let end = rest.firstIndex { $0 == semicolon || $0 == slash } ?? rest.endIndex
            if byte == semicolon {
                piece(rest[..<end], as: .parameters, to: &masked)
            } else {
                masked.append(contentsOf: rest[..<end])
            }
            rest = rest[end...]
        }
        masked.withUnsafeBufferPointer { masked in add(masked[...], to: &kept, as: .path) { $0.path($1) } }
    }

    /// Masks a text that is one URL, with any bytes, or the part after an origin.
    mutating func url(_ url: String) -> String {
        var url = url
        var kept: [UInt8] = []
        url.withUTF8 { text in
            let text = text[...]
            guard let authority = text.indexOfAuthority,
                !text[..<authority].dropLast(2).contains(where: isBehindAuthority)
            else { return path(text, to: &kept) }
            kept.append(contentsOf: text[..<authority])
            authorityAndPath(text[authority...], to: &kept)
        }
        return String(decoding: kept, as: UTF8.self)
    }

    /// Masks every URL inside a sentence, such as the lines that imitate a device's console.
    mutating func sentence(_ text: String) -> String {
        var text = text
        var kept: [UInt8] = []
        text.withUTF8 { sentence($0[...], to: &kept) }
        return String(decoding: kept, as: UTF8.self)
    }

    private mutating func sentence(_ text: Text, to kept: inout [UInt8]) {
        var rest = text
        while let colon = rest.indexOfAuthority {
            add(rest[..<colon], to: &kept, as: nil) { $0.words($1) }
            rest = rest[colon...]
            let end = rest.endOfURL
            authorityAndPath(rest[..<end], to: &kept)
            rest = rest[end...]
        }
        add(rest, to: &kept, as: nil) { $0.words($1) }
    }

    /// Appends a text or its mask.
    private mutating func add(
        _ text: Text, to kept: inout [UInt8], as part: Parts?, masked: (NameMask, String) -> String
    ) {
        guard let names else { return kept.append(contentsOf: text) }
        let mask = masked(names, String(decoding: text, as: UTF8.self)).utf8
        if let part, !mask.elementsEqual(text) { hiddenParts.insert(part) }
        kept.append(contentsOf: mask)
    }

    private mutating func authorityAndPath(_ url: Text, to kept: inout [UInt8]) {
        let end = url.firstIndex(where: isBehindAuthority) ?? url.endIndex
        var authority = url[..<end]
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            hiddenParts.insert(.userinfo)
            authority = authority[at...].dropFirst()
        }
        add(authority, to: &kept, as: .host) { $0.authority($1) }
        path(url[end...], to: &kept)
    }

    private mutating func query(_ query: Text, to kept: inout [UInt8]) {
        kept.append(question)
        if names?.hidesAll == true {
            mask(query, as: .query, to: &kept)
            return
        }
        if keepsQueryValues {
            kept.append(contentsOf: query)
            return
        }
        var rest = query
        while let end = rest.firstIndex(of: ampersand) {
            piece(rest[..<end], as: .query, to: &kept)
            kept.append(ampersand)
            rest = rest[(end + 1)...]
        }
        piece(rest, as: .query, to: &kept)
    }

    /// Masks one `name=value`.
    private mutating func piece(_ piece: Text, as part: Parts, to kept: inout [UInt8]) {
        let value = piece.firstIndex(of: UInt8(ascii: "=")).map { $0 + 1 } ?? piece.startIndex
        kept.append(contentsOf: piece[..<value])
        mask(piece[value...], as: part, to: &kept)
    }

    /// Masks a value. An empty value hides nothing, so it stays empty; a masked one stays and is not counted twice.
    private mutating func mask(_ value: Text, as part: Parts, to kept: inout [UInt8]) {
        if value.isEmpty || value.elementsEqual(stars)
            || (part == .fragment && keepsQueryValues && names?.hidesAll != true)
        {
            kept.append(contentsOf: value)
        } else {
            kept.append(contentsOf: stars)
            hiddenParts.insert(part)
        }
    }
}

extension URLMask.Text {
    /// Start of an authority: after the next `://`.
    fileprivate var indexOfAuthority: Index? {
        var from = startIndex
        while let colon = self[from...].firstIndex(of: UInt8(ascii: ":")) {
            if self[colon...].starts(with: "://".utf8) { return index(colon, offsetBy: 3) }
            from = index(after: colon)
        }
        return nil
    }

    /// End of a URL in a sentence: at whitespace, a quote or a brace, or at a comma or semicolon before one.
    fileprivate var endOfURL: Index {
        firstIndex { urlEnds.contains($0) }.map { end in
            let last = self[..<end].last
            return last == UInt8(ascii: ",") || last == UInt8(ascii: ";") ? index(before: end) : end
        } ?? endIndex
    }
}

private func isBehindAuthority(_ byte: UInt8) -> Bool { byte == slash || byte == question || byte == hash }

private let stars = Array("***".utf8)
private let question = UInt8(ascii: "?")
private let hash = UInt8(ascii: "#")
private let slash = UInt8(ascii: "/")
private let ampersand = UInt8(ascii: "&")
private let semicolon = UInt8(ascii: ";")
/// Characters that no URL contains unescaped (RFC 3986 appendix C). A bracket after a URL is hidden with its last
/// value.
private let urlEnds = Set(" \t\r\n\"<>{}".utf8)
