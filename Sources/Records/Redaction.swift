import ATSPolicy

/// Rules for masking URLs in records. Authorization, cookies and bodies are never part of a record.
public struct RedactionRules: Sendable, Hashable {
    /// Keeps fragments and the values of queries and path parameters. User names and passwords are always removed.
    public var keepsQueryValues: Bool

    public init(keepsQueryValues: Bool = false) {
        self.keepsQueryValues = keepsQueryValues
    }

    /// Masks `record` in place and lists what was masked in `record.masked`.
    public func apply(to record: inout LoadRecord) {
        redactHost(of: &record)
        redactRedirection(of: &record)
        let rawValues = redactPath(of: &record)
        redactDiagnosis(of: &record, rawValues: rawValues)
        redactDevice(of: &record, rawValues: rawValues)
    }

    private func redactHost(of record: inout LoadRecord) {
        let target = record.load.target
        // Searched in contiguous memory first: the collection's own search costs 370 instructions without a match
        // (callgrind).
        guard target.host.utf8.withContiguousStorageIfAvailable({ $0.contains(UInt8(ascii: "@")) }) ?? true,
            let at = target.host.utf8.lastIndex(of: UInt8(ascii: "@"))
        else { return }
        let host = String(target.host[target.host.utf8.index(after: at)...])
        record.load.target = LoadTarget(scheme: target.scheme, host: host, port: target.port)
        record.masked.append("load.url.userinfo")
    }

    private func redactRedirection(of record: inout LoadRecord) {
        guard let url = record.load.redirectedFrom else { return }
        var mask = URLMask(keepsQueryValues: keepsQueryValues)
        record.load.redirectedFrom = mask.url(url)
        record.masked += mask.hiddenParts.names(in: "load.redirectedFrom.")
    }

    /// Returns the original path from its first value on, to find it in other texts; nil if nothing was masked.
    private func redactPath(of record: inout LoadRecord) -> Substring? {
        let path = record.load.path
        guard path.firstValue != nil else { return nil }
        var mask = URLMask(keepsQueryValues: keepsQueryValues)
        let kept = mask.path(path)
        guard !mask.hiddenParts.isEmpty else { return nil }
        record.load.path = kept
        record.masked += mask.hiddenParts.names(in: "load.url.")
        return path.firstValue.map { path[$0...] }
    }

    /// A device's lines and our own sentences may repeat the URL, or contain another one.
    private func redactDiagnosis(of record: inout LoadRecord, rawValues: Substring?) {
        guard let diagnosis = record.diagnosis else { return }
        var findings = diagnosis.findings
        var apple = diagnosis.apple
        var masked: [String] = []
        let cleaner = SentenceCleaner(rules: self, rawValues: rawValues, path: record.load.path)
        for index in findings.indices {
            let isChanged = [cleaner.clean(&findings[index].observed), cleaner.clean(&findings[index].expected)]
            if isChanged.contains(true), !masked.contains("findings") { masked.append("findings") }
        }
        if var error = apple {
            if cleaner.clean(&error.message) { masked.append("apple.message") }
            for index in error.log.indices where cleaner.clean(&error.log[index]) {
                if !masked.contains("apple.log") { masked.append("apple.log") }
            }
            apple = error
        }
        if masked.isEmpty {
            record.diagnosis = diagnosis.filed
        } else {
            record.diagnosis = RecordedDiagnosis(findings: findings, apple: apple, remedy: diagnosis.remedy).filed
            record.masked += masked
        }
    }
}

extension RedactionRules {
    /// A device's own lines repeat the URL, too.
    private func redactDevice(of record: inout LoadRecord, rawValues: Substring?) {
        guard let device = record.device else { return }
        let cleaner = SentenceCleaner(rules: self, rawValues: rawValues, path: record.load.path)
        var (lines, how) = (device.lines, device.how ?? "")
        let isHowChanged = cleaner.clean(&how)
        for index in lines.indices where cleaner.clean(&lines[index]) {
            if !record.masked.contains("device.lines") { record.masked.append("device.lines") }
        }
        guard isHowChanged || lines != device.lines else {
            record.device = device.filed
            return
        }
        record.device =
            device.with(how: device.how.map { _ in how }, lines: lines).filed
    }
}

/// Cleans sentences that may quote the load's own URL.
private struct SentenceCleaner {
    let rules: RedactionRules
    let rawValues: Substring?
    /// The masked path of the load.
    let path: String

    /// Cleans `text`. Returns true if it changed.
    func clean(_ text: inout String) -> Bool {
        var kept = text
        if let rawValues, let masked = path.firstValue {
            kept = kept.replacing(rawValues, with: path[masked...])
        }
        // Searched in contiguous memory first, like the @ above.
        if kept.utf8.withContiguousStorageIfAvailable({ $0.contains(UInt8(ascii: ":")) }) ?? true {
            var mask = URLMask(keepsQueryValues: rules.keepsQueryValues)
            kept = mask.sentence(kept)
        }
        guard kept != text else { return false }
        text = kept
        return true
    }
}

extension String {
    /// Index of the first path parameter, the query or the fragment; the text before it stays.
    fileprivate var firstValue: Index? {
        utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: ";") }
    }
}

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
