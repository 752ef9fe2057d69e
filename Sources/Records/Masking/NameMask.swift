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

extension NameMask {
    /// Returns a handshake with the names in its certificates masked.
    ///
    /// - Parameter host: the requested host.
    public func handshake(_ handshake: RecordedHandshake, of host: String) -> RecordedHandshake {
        var masked = handshake
        if let facts = handshake.facts {
            masked.facts?.served = facts.served.map { certificate($0, of: host) }
            masked.facts?.path = facts.path.map { certificate($0, of: host) }
            masked.facts?.otherPaths = facts.otherPaths.map { other in
                CertificatePath(
                    other.certificates.map { certificate($0, of: host) }, anchor: other.anchor, faults: other.faults)
            }
        }
        // An answer that is not TLS may begin with anything.
        if hidesEveryHost, case .notTLS(let bytes) = handshake.failure {
            let beginning = Array("HTTP/".utf8)
            masked.failure = .notTLS(bytes.starts(with: beginning) ? beginning : [])
        }
        return masked
    }

    /// Returns a masked certificate. If all names are hidden, so are its serial number and digests.
    private func certificate(_ certificate: CertificateFacts, of host: String) -> CertificateFacts {
        var known = self.known(host: host, entry: nil)
        for name in certificate.dnsNames { known.add(name, self.host) }
        // Facts that no field of the record contains are masked below.
        var (masked, run) = (certificate, MaskRun(self, known))
        CertificateFields.mask(&masked, by: &run)
        masked.commonName = certificate.commonName.map { commonName($0, known) }
        masked.dnsNames = certificate.dnsNames.map(self.host)
        masked.ipAddresses = certificate.ipAddresses.map(self.host)
        return masked
    }

    func distinguishedName(_ name: String, _ known: KnownNames) -> String {
        DistinguishedName(name).attributes.map { attribute in
            guard !hidesAll || attribute.type != "C" else { return attribute.text }
            let masked = commonName(attribute.value, known)
            return masked == attribute.value ? attribute.text : attribute.head + masked + attribute.end
        }.joined()
    }

    /// Masks a host, or a name of people or things.
    func commonName(_ name: String, _ known: KnownNames) -> String {
        let isHost = HostGrammar.isValidHost(name.hasPrefix("*.") ? String(name.dropFirst(2)) : name)
        if isHost, name.contains(".") || !hidesEveryHost { return host(name) }
        guard !name.isEmpty else { return name }
        return hidesAll ? token("n", name) : sentence(name, known)
    }

    /// Masks the Base64 of a 32-byte digest, as in `SPKI-SHA256-BASE64`.
    func pin(_ pin: String) -> String {
        guard hidesAll, !pin.isEmpty else { return pin }
        // The last two bits of the 43rd digit are padding (RFC 4648 section 3.5).
        return key.base64Digits(42, of: pin) + "A="
    }
}

extension NameMask {
    /// Returns the names that loads of a host contain.
    func known(host: String, entry: String?) -> KnownNames {
        var known = KnownNames()
        known.add(host, self.host)
        known.add(entry, self.entry)
        return known
    }

    /// Adds the names of certificates.
    func learn(_ certificates: [CertificateFacts], _ known: inout KnownNames) {
        for certificate in certificates {
            for name in certificate.dnsNames { learn(name, &known) { self.host($0) } }
            learn(distinguishedName: certificate.subject, &known)
            learn(distinguishedName: certificate.issuer, &known)
            learn(certificate.commonName ?? "", &known) { [known] in commonName($0, known) }
        }
    }

    /// Adds a distinguished name, and each of its values as they occur in sentences.
    func learn(distinguishedName name: String, _ known: inout KnownNames) {
        learn(name, &known) { [known] in distinguishedName($0, known) }
        for value in DistinguishedName(name).attributes.map(\.value) where value.utf8.count > 2 {
            learn(value, &known) { [known] in commonName($0, known) }
        }
    }

    /// Adds a name unless masking a sentence finds it without help, as it does for most.
    private func learn(_ name: String, _ known: inout KnownNames, _ mask: (String) -> String) {
        if sentence(name, known) != mask(name) { known.add(name, mask) }
    }

    /// Returns `known` with the path of a load added. nil if paths stay, or if the path contains no character that
    /// would end it in a sentence.
    ///
    /// - Parameter url: the load's URL, or the part after its origin.
    func known(_ known: KnownNames, withPathOf url: String) -> KnownNames? {
        guard hidesPaths else { return nil }
        let authority = url.hasPrefix("/") ? nil : url.firstRange(of: "://")?.upperBound
        let bare = String(url[(authority ?? url.startIndex)...].drop { $0 != "/" }.prefix { $0 != "?" && $0 != "#" })
        guard bare.contains(where: { Self.isAround($0) || "{}".contains($0) }) else { return nil }
        var known = known
        known.add(bare, self.path)
        return known
    }
}

/// Names that are replaced wherever they occur, the longest first.
package struct KnownNames: Sendable {
    private(set) var names: [(name: String, mask: String)] = []

    package init() {}

    mutating func add(_ name: String?, _ mask: (String) -> String) {
        // Addresses and CIDR blocks are found by their syntax, and would be masked twice.
        guard let name, name.utf8.count > 1, IPAddress(name.prefix { $0 != "/" }) == nil else { return }
        add(name, mask(name))
    }

    mutating func add(_ other: KnownNames) {
        for (name, mask) in other.names { add(name, mask) }
    }

    private mutating func add(_ name: String, _ mask: String) {
        guard mask != name, !names.contains(where: { $0.name == name }) else { return }
        let place = names.firstIndex { $0.name.utf8.count < name.utf8.count } ?? names.endIndex
        names.insert((name, mask), at: place)
    }
}

/// The kind of name that a text in a record is or contains.
package enum NameKind: Sendable {
    case host, authority, url, sentence, peer, label, agent, file, bundle, recording, distinguishedName, hexadecimal,
        pin, deviceLine, issuer

    func masked(_ text: String, by names: NameMask, _ known: KnownNames) -> String {
        switch self {
        case .host: names.entry(text)
        case .authority: names.authority(text)
        case .url: names.url(text)
        case .sentence: names.sentence(text, known)
        case .peer: names.peer(text)
        case .label: names.label(text)
        case .agent: names.userAgent(text)
        case .file: names.file(text)
        case .bundle: names.bundle(text)
        case .recording: names.recording(text)
        case .distinguishedName: names.distinguishedName(text, known)
        case .hexadecimal: names.hidesAll ? names.key.hexadecimal(text) : text
        case .pin: names.pin(text)
        case .issuer: names.hidesAll ? names.label(text) : names.sentence(text, known)
        case .deviceLine: DeviceLine.masked(text, by: names, known)
        }
    }
}
