import ATSPolicy
public import Text

/// Puts tokens in the place of names that are not to be told: hosts, parts of paths and, where all is to be hidden,
/// whatever else tells who was there.
///
/// Equal names get equal tokens under one key, and without the key a guess cannot be tried. A token stays what it is when
/// it is masked again.
public struct NameMask: Sendable {
    /// Every name is hidden: for those outside.
    let hidesAll: Bool
    let hidesPaths: Bool
    /// Those, too, that stand nowhere in the patterns.
    let hidesEveryHost: Bool
    let hosts: [HostPattern]
    private let paths: [PathPattern]
    private let key: KeyedHash

    /// Hides what `patterns` name.
    public init(_ patterns: [MaskPattern], key: KeyedHash) {
        self.init(patterns, hidesAll: false, key)
    }

    /// Hides hosts, paths, names in certificates, addresses, labels, files, bundles, recordings, and what of a
    /// User-Agent is the app's.
    public static func everything(key: KeyedHash) -> NameMask { NameMask([], hidesAll: true, key) }

    private init(_ patterns: [MaskPattern], hidesAll: Bool, _ key: KeyedHash) {
        self.hidesAll = hidesAll
        self.key = key
        paths = patterns.compactMap { if case .path(let path) = $0 { path } else { nil } }
        hosts = patterns.compactMap { if case .host(let host) = $0 { host } else { nil } }
        hidesEveryHost = hidesAll || patterns.contains(.everyHost)
        hidesPaths = hidesAll || !paths.isEmpty
    }
}

// MARK: - Hosts

extension NameMask {
    /// A host as it may be told: of a pattern with a star what that stands for is replaced, otherwise all of the name but
    /// `local`. Names above and below each other stay so. The machine itself hides nothing.
    public func host(_ host: String) -> String {
        if let address = IPAddress(host: HostGrammar.normalized(host)) {
            return isMasked(address) ? masked(address).description : host
        }
        let name = HostGrammar.withoutTrailingDot(host[...]).asciiLowered
        guard let kept = keptLabels(of: name) else { return host }
        return renamed(name, keeping: kept) + (host.hasSuffix(".") ? "." : "")
    }

    /// `HOST:PORT`, `HOST`, or an address in brackets.
    func authority(_ text: String) -> String {
        guard let authority = try? Authority(text[...]) else { return hidesAll ? token("a", text) : text }
        return Authority(host: host(authority.host), port: authority.port).description
    }

    /// How many labels at the end of a name may be told; nil for a name that is not masked.
    func keptLabels(of name: String) -> Int? {
        if name == "localhost" || name.hasSuffix(".localhost") { return nil }
        if hidesEveryHost { return 0 }
        var kept: Int?
        for pattern in hosts {
            if !pattern.isWildcard, covers(pattern.name, name) {
                kept = 0
            } else if pattern.isWildcard, name.hasSuffix("." + pattern.name) {
                kept = min(kept ?? .max, pattern.name.count { $0 == "." } + 1)
            }
        }
        return kept
    }

    /// The same name, or the wildcard of a certificate that stands for it.
    private func covers(_ host: String, _ name: String) -> Bool {
        name == host || (name.hasPrefix("*.") && host.drop { $0 != "." } == name.dropFirst())
    }

    private func renamed(_ name: String, keeping kept: Int) -> String {
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        return labels.indices.map { index in
            let label = String(labels[index])
            if index >= labels.count - kept || label == "*" || label == "local" || isToken(label) { return label }
            if index == labels.count - 1, index > 0 { return Self.topLabel }
            return token("h", labels[index...].joined(separator: "."))
        }.joined(separator: ".")
    }

    /// A name that nobody owns. Source: RFC 2606 section 2.
    private static let topLabel = "example"
}

// MARK: - Addresses

extension NameMask {
    private func isMasked(_ address: IPAddress) -> Bool {
        guard !address.isLoopback, !address.isUnspecified else { return false }
        return hidesEveryHost
            || hosts.contains { IPAddress($0.name) == address.unmapped || IPAddress($0.name) == address }
    }

    /// `ADDRESS:PORT`, where every address is hidden.
    func peer(_ text: String) -> String {
        hidesAll ? authority(text) : text
    }

    /// An address of the same kind. Addresses of one net stay in one net, so that a CIDR block keeps its members.
    /// Source: Xu et al., "Prefix-Preserving IP Address Anonymization", 2002, section 3.
    private func masked(_ address: IPAddress) -> IPAddress {
        switch address.unmapped {
        case .v4(let value): .v4(UInt32(mixed(UInt128(value), bits: 32, keeping: Self.keptBits(of: value))))
        case .v6(let value): .v6(mixed(value, bits: 128, keeping: value >> 121 == 0x7E ? 7 : 10))
        }
    }

    /// A CIDR block, as dictionaries name them.
    func block(_ text: String) -> String? {
        let sides = text.split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2, let address = IPAddress(sides[0]), Int(sides[1]) != nil, isMasked(address) else {
            return nil
        }
        return "\(masked(address))/\(sides[1])"
    }

    private func mixed(_ value: UInt128, bits: Int, keeping kept: Int) -> UInt128 {
        var mixed = value
        for bit in kept..<bits {
            let prefix = value >> UInt128(bits - bit)
            let words = [UInt64(truncatingIfNeeded: prefix), UInt64(truncatingIfNeeded: prefix >> 64), UInt64(bit)]
            let digest = key.digest(
                words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } })
            mixed ^= UInt128(digest & 1) << UInt128(bits - 1 - bit)
        }
        return mixed
    }

    /// What tells that an address is private (RFC 1918) or link-local (RFC 3927); of others the first byte.
    private static func keptBits(of value: UInt32) -> Int {
        switch value {
        case 0xAC10_0000...0xAC1F_FFFF: 12
        case 0xC0A8_0000...0xC0A8_FFFF, 0xA9FE_0000...0xA9FE_FFFF: 16
        default: 8
        }
    }
}

// MARK: - Paths

extension NameMask {
    /// A path without query and fragment.
    func path(_ path: String) -> String {
        guard hidesPaths, path.utf8.first == UInt8(ascii: "/") else { return path }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let named = segments.filter { !$0.isEmpty }
        let patterns = paths.filter { $0.covers(named) }
        guard hidesAll || !patterns.isEmpty else { return path }
        var place = -1
        return segments.map { segment in
            guard !segment.isEmpty else { return segment }
            place += 1
            let isMasked = hidesAll || patterns.contains { $0.masks(segment: place) }
            return isMasked && !isToken(segment) ? token("p", segment) : segment
        }.joined(separator: "/")
    }
}

// MARK: - Tokens

extension NameMask {
    /// What stands for a name.
    ///
    /// - Parameter kind: names of different kinds have nothing in common.
    func token(_ kind: String, _ name: String) -> String {
        guard !isToken(name) else { return name }
        var digest = key.digest((kind + ":" + name).utf8)
        var token = Array(Self.beginning.utf8)
        for _ in 0..<Self.tokenDigits {
            token.append(Self.digits[Int(digest & 31)])
            digest >>= 5
        }
        return String(decoding: token, as: UTF8.self)
    }

    /// As many hexadecimal digits as there were.
    func hexadecimal(_ text: String) -> String {
        var digits = ""
        while digits.utf8.count < text.utf8.count {
            let digest = String(key.digest("x\(digits.utf8.count):\(text)".utf8), radix: 16)
            digits += String(repeating: "0", count: 16 - digest.count) + digest
        }
        return String(digits.prefix(text.utf8.count))
    }

    /// The same of Base64.
    func base64Digits(_ count: Int, of text: String) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let chosen = (0..<count).map { digits[Int(key.digest("b\($0):\(text)".utf8) % 64)] }
        return String(decoding: chosen, as: UTF8.self)
    }

    func isToken(_ text: String) -> Bool {
        let text = text.utf8
        return text.count == Self.beginning.utf8.count + Self.tokenDigits && text.starts(with: Self.beginning.utf8)
            && text.dropFirst(Self.beginning.utf8.count).allSatisfy(Self.digits.contains)
    }

    private static let beginning = "masked-"
    /// 40 bits: two of ten thousand names are alike once in twenty thousand stores.
    private static let tokenDigits = 8
    private static let digits = Array("abcdefghijkmnpqrstuvwxyz23456789".utf8)
}
