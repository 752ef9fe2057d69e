import ATSPolicy
import Text

/// Replaces private names with tokens: hosts, parts of paths and, if everything must be hidden, all else that
/// identifies a person or a device.
///
/// Equal names get equal tokens under one key, and without the key a guess cannot be tested. Masking a token again does
/// not change it.
public struct NameMask: Sendable {
    /// Hides every name, for readers outside the team.
    let hidesAll: Bool
    let hidesPaths: Bool
    /// Hides hosts that no pattern names, too.
    let hidesEveryHost: Bool
    let hosts: [HostPattern]
    private let paths: [PathPattern]
    let key: KeyedHash
    private let addresses: MaskedAddresses

    /// Hides the names that match `patterns`.
    public init(_ patterns: [MaskPattern], key: KeyedHash) {
        self.init(patterns, hidesAll: false, key)
    }

    /// Hides hosts, paths, names in certificates, addresses, labels, files, bundles, recordings, and the app's part of
    /// a User-Agent.
    public static func everything(key: KeyedHash) -> NameMask { NameMask([], hidesAll: true, key) }

    private init(_ patterns: [MaskPattern], hidesAll: Bool, _ key: KeyedHash) {
        self.hidesAll = hidesAll
        self.key = key
        addresses = MaskedAddresses(key)
        paths = patterns.compactMap { if case .path(let path) = $0 { path } else { nil } }
        hosts = patterns.compactMap { if case .host(let host) = $0 { host } else { nil } }
        hidesEveryHost = hidesAll || patterns.contains(.everyHost)
        hidesPaths = hidesAll || !paths.isEmpty
    }
}

// MARK: - Hosts

extension NameMask {
    /// Masks a host. A pattern with a star replaces the labels that the star matches; other patterns replace the
    /// whole name except `local`. Subdomains stay below their parents. Names of the local machine are not masked.
    public func host(_ host: String) -> String {
        if let address = IPAddress(host: HostGrammar.normalized(host)) {
            return isMasked(address) ? addresses.masked(address).description : host
        }
        let name = HostGrammar.withoutTrailingDot(host[...]).asciiLowered
        guard let kept = keptLabels(of: name) else { return host }
        return renamed(name, keeping: kept) + (host.hasSuffix(".") ? "." : "")
    }

    /// Masks the key of an entry of a dictionary: a host, or a CIDR block.
    func entry(_ name: String) -> String { block(name) ?? host(name) }

    /// Masks `HOST:PORT`, `HOST`, or an address in brackets.
    func authority(_ text: String) -> String {
        guard let authority = try? Authority(text[...]) else { return hidesAll ? token("a", text) : text }
        return Authority(host: host(authority.host), port: authority.port).description
    }

    /// Returns how many labels at the end of a name stay, or nil for a name that is not masked.
    func keptLabels(of name: String) -> Int? {
        if HostGrammar.isHost(name, atOrBelow: "localhost") { return nil }
        if hidesEveryHost { return 0 }
        var kept: Int?
        for pattern in hosts {
            if !pattern.isWildcard, covers(pattern.name, name) {
                kept = 0
            } else if pattern.isWildcard, HostGrammar.isHost(name, below: pattern.name) {
                kept = min(kept ?? .max, pattern.name.count { $0 == "." } + 1)
            }
        }
        return kept
    }

    /// True for the same name, or for a certificate's wildcard that covers it.
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

    /// A reserved name. Source: RFC 2606 section 2.
    private static let topLabel = "example"
}

// MARK: - Addresses

extension NameMask {
    private func isMasked(_ address: IPAddress) -> Bool {
        guard !address.isLoopback, !address.isUnspecified else { return false }
        return hidesEveryHost
            || hosts.contains { IPAddress($0.name) == address.unmapped || IPAddress($0.name) == address }
    }

    /// Masks `ADDRESS:PORT` if every name is hidden.
    func peer(_ text: String) -> String {
        hidesAll ? authority(text) : text
    }

    /// Masks a CIDR block, as dictionaries name them.
    func block(_ text: String) -> String? {
        let sides = text.split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2, let address = IPAddress(sides[0]), Int(sides[1]) != nil, isMasked(address) else {
            return nil
        }
        return "\(addresses.masked(address))/\(sides[1])"
    }
}

// MARK: - Paths

extension NameMask {
    /// Masks a path without query and fragment.
    func path(_ path: String) -> String {
        guard hidesPaths, !path.isEmpty else { return path }
        guard path.utf8.first == UInt8(ascii: "/") else { return hidesAll ? token("p", path) : path }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let masked = hidesAll ? Set(segments.indices) : paths.maskedPlaces(of: segments)
        guard !masked.isEmpty else { return path }
        return segments.enumerated().map { place, segment in
            masked.contains(place) && !segment.isEmpty ? token("p", segment) : segment
        }.joined(separator: "/")
    }

    /// Masks a URL, or the part after its origin.
    func url(_ text: String) -> String {
        var mask = URLMask(keepsQueryValues: true, names: self)
        return mask.url(text)
    }
}

// MARK: - Tokens

extension NameMask {
    /// Returns the token for a name.
    ///
    /// - Parameter kind: names of different kinds get different tokens.
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

    func isToken(_ text: String) -> Bool {
        let text = text.utf8
        return text.count == Self.beginning.utf8.count + Self.tokenDigits && text.starts(with: Self.beginning.utf8)
            && text.dropFirst(Self.beginning.utf8.count).allSatisfy(Self.digits.contains)
    }

    private static let beginning = "masked-"
    /// 40 bits: of 20,000 stores with 10,000 names each, about one has two equal tokens.
    private static let tokenDigits = 8
    private static let digits = Array("abcdefghijkmnpqrstuvwxyz23456789".utf8)
}
