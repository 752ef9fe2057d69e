import Text

/// Hosts as programs write them.
struct HostText {
    private let order: URLScanner.Order

    init(_ order: URLScanner.Order) {
        self.order = order
    }

    /// The host and the port of a URL's authority; nil if no load can have such a host.
    ///
    /// - Parameter after: the byte after the authority. A host before a placeholder counts only if it is complete.
    func parts(of authority: ArraySlice<UInt8>, isCutBy after: UInt8) -> (host: String, port: Int?)? {
        var rest = authority
        // Data of a user, RFC 3986 section 3.2.1.
        if let at = rest.lastIndex(of: UInt8(ascii: "@")) { rest = rest[(at + 1)...] }
        if rest.first == UInt8(ascii: "[") {
            let inner = rest.dropFirst().prefix { $0 != UInt8(ascii: "]") }
            let host = String(decoding: inner, as: UTF8.self).lowercased()
            guard IPAddress(host) != nil else { return nil }
            return (host, port(rest[inner.endIndex...].dropFirst()))
        }
        let name = rest.prefix(while: Self.isHostByte)
        let next = name.endIndex < authority.endIndex ? authority[name.endIndex] : after
        let written = String(decoding: name, as: UTF8.self).lowercased()
        guard let host = checked(written, isCut: "%${".utf8.contains(next)) else { return nil }
        return (host, name.count == host.utf8.count ? port(rest[name.endIndex...]) : nil)
    }

    private func checked(_ written: String, isCut: Bool) -> String? {
        var host = written[...]
        while host.last == "." || host.last == "-" { host = host.dropLast() }
        guard HostGrammar.isValidName(String(host)), host.utf8.first != UInt8(ascii: "-") else { return nil }
        let ending = host.split(separator: ".").last ?? ""
        if ending.allSatisfy(\.isNumber) { return IPAddress(String(host)) == nil ? nil : String(host) }
        guard host.contains(".") else {
            // Among adjacent strings, a name without a dot is the beginning of a word.
            return host == "localhost" || order == .separated && !isCut ? String(host) : nil
        }
        let isWhole = (DomainEndings.isKnown(ending) || ending.hasPrefix("xn--")) && !Self.isBeginning(host)
        if isCut { return isWhole && host.count == written.count ? String(host) : nil }
        if isWhole || order == .separated { return String(host) }
        return cut(host, ending)
    }

    /// In adjacent strings, the text that follows a host may look like its end: `api.example.comGET`.
    private func cut(_ host: Substring, _ ending: Substring) -> String? {
        for known in DomainEndings.ofCuts.sorted(by: { $0.count > $1.count }) where ending.hasPrefix(known) {
            let name = host.dropLast(ending.count - known.count)
            return Self.isBeginning(name) ? nil : String(name)
        }
        return nil
    }

    /// `www.com` is the beginning of a longer text, not a host.
    private static func isBeginning(_ host: Substring) -> Bool {
        host.hasPrefix("www.") && host.count { $0 == "." } == 1
    }

    private func port(_ rest: ArraySlice<UInt8>) -> Int? {
        guard rest.first == UInt8(ascii: ":") else { return nil }
        let digits = rest.dropFirst().prefix(while: \.isASCIIDigit)
        return Int(String(decoding: digits, as: UTF8.self)).flatMap { 1...65_535 ~= $0 ? $0 : nil }
    }

    static func isHostByte(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "_")
    }
}

/// Finds strings that are a host without a scheme, such as `api.example.com` or `api.example.com:8443/v1`.
///
/// Names of bundles, files, keys and classes look similar, so a host must be in lower case, end with a known ending and
/// not begin with one: `com.example.app` is the name of a bundle.
enum BareHost {
    /// - Parameter bytes: the whole string.
    static func found(in bytes: ArraySlice<UInt8>) -> FoundText? {
        guard 4...longest ~= bytes.count, bytes.contains(UInt8(ascii: ".")) else { return nil }
        let name = bytes.prefix { HostText.isHostByte($0) }
        let rest = bytes[name.endIndex...]
        guard rest.isEmpty || rest.first == UInt8(ascii: "/") || isPort(rest) else { return nil }
        guard rest.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"%${}()<>\"'\\*".utf8.contains($0) }) else { return nil }
        let host = String(decoding: name, as: UTF8.self)
        guard isHost(host) else { return nil }
        let digits = rest.dropFirst().prefix(while: \.isASCIIDigit)
        return FoundText(
            scheme: nil, host: host,
            port: rest.first == UInt8(ascii: ":") ? Int(String(decoding: digits, as: UTF8.self)) : nil,
            text: String(decoding: bytes, as: UTF8.self))
    }

    /// The hosts among the strings of a text, between quotation marks.
    static func forEach(quotedIn bytes: [UInt8], _ body: (FoundText) -> Void) {
        var start: Int?
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "`") {
                if let start, let found = found(in: bytes[start..<index]) { body(found) }
                start = index + 1
            } else if byte <= 0x20 || byte >= 0x7F {
                start = nil
            }
        }
    }

    /// The hosts among strings that end with a zero byte.
    static func forEach(terminatedIn bytes: [UInt8], _ body: (FoundText) -> Void) {
        // Array.split took a fifth of the time of an audit.
        var start = 0
        while start < bytes.count {
            let end = URLScanner.find(terminator, in: bytes, from: start) ?? bytes.count
            if let found = found(in: bytes[start..<end]) { body(found) }
            start = end + 1
        }
    }

    private static func isHost(_ host: String) -> Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, let first = labels.first, let last = labels.last, HostGrammar.isValidName(host),
            host.utf8.allSatisfy({ !(0x41...0x5A ~= $0) && $0 != UInt8(ascii: "_") }),
            labels.allSatisfy({ !$0.isEmpty && !$0.hasPrefix("-") && !$0.hasSuffix("-") }),
            !DomainEndings.beginsBundleName(first)
        else { return false }
        if DomainEndings.isClear(last) { return true }
        guard labels.count >= 3, DomainEndings.isKnown(last) else { return false }
        return !DomainEndings.isAlsoFileType(last) || hostLabels.contains(String(first))
    }

    private static func isPort(_ rest: ArraySlice<UInt8>) -> Bool {
        guard rest.first == UInt8(ascii: ":") else { return false }
        let digits = rest.dropFirst().prefix(while: \.isASCIIDigit)
        let after = rest[digits.endIndex...]
        return 2...5 ~= digits.count && (after.isEmpty || after.first == UInt8(ascii: "/"))
    }

    private static let terminator: [UInt8] = [0]
    private static let longest = 253
    /// First labels that hosts have and keys in code seldom have.
    private static let hostLabels: Set = ["api", "assets", "auth", "cdn", "images", "img", "login", "static", "www"]
}
