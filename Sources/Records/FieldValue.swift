import ATSPolicy
package import Text

/// A value that a record's JSON can hold.
package protocol FieldValue: Sendable {
    /// True if a missing key means a value of this type: null or an empty list.
    static var isOmittable: Bool { get }

    /// True if a missing key means this value, so that the key can be omitted to save space.
    var isAbsent: Bool { get }
    /// Reads the output of `write`.
    init(reading decoder: any Decoder) throws
    /// Appends the value as JSON.
    func write(to writer: inout JSONWriter)
}

extension FieldValue {
    package static var isOmittable: Bool { false }
    package var isAbsent: Bool { false }
}

extension FieldValue where Self: Decodable {
    package init(reading decoder: any Decoder) throws {
        self = try decoder.singleValueContainer().decode(Self.self)
    }
}

/// Decodes a value from the standard library's containers. The types of ATSPolicy have no business with decoders, so
/// they are not `Decodable` themselves.
struct Reading<Value: FieldValue>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws { value = try Value(reading: decoder) }
}

extension String: FieldValue {
    package func write(to writer: inout JSONWriter) { writer.text(self) }
}

extension Bool: FieldValue {
    package func write(to writer: inout JSONWriter) { writer.flag(self) }
}

extension Int: FieldValue {
    package func write(to writer: inout JSONWriter) { writer.number(Int64(self)) }
}

extension Int64: FieldValue {
    package func write(to writer: inout JSONWriter) { writer.number(self) }
}

extension Optional: FieldValue where Wrapped: FieldValue {
    package static var isOmittable: Bool { true }
    package var isAbsent: Bool { self == nil }

    package init(reading decoder: any Decoder) throws {
        self = try decoder.singleValueContainer().decodeNil() ? nil : Wrapped(reading: decoder)
    }

    package func write(to writer: inout JSONWriter) {
        guard let self else { return writer.raw("null") }
        self.write(to: &writer)
    }
}

extension Array: FieldValue where Element: FieldValue {
    package static var isOmittable: Bool { true }
    package var isAbsent: Bool { isEmpty }

    package init(reading decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        self = []
        while !list.isAtEnd { append(try list.decode(Reading<Element>.self).value) }
    }

    package func write(to writer: inout JSONWriter) {
        writer.list(self) { $1.write(to: &$0) }
    }
}

/// A structure of facts that a store keeps whole. A new property needs one line in `fields`; a test counts them.
protocol StoredFacts: FieldValue, FieldList where Holder == Self {
    /// The value before any field is read.
    static var blank: Self { get }
}

extension StoredFacts {
    package init(reading decoder: any Decoder) throws {
        self = Self.blank
        try Self.read(&self, decoder.container(keyedBy: FieldKey.self), .shared)
    }

    package func write(to writer: inout JSONWriter) { Self.write(self, .shared, to: &writer) }
}

extension RecordField {
    /// A property of a structure of facts.
    init<Value: FieldValue>(fact key: StaticString, _ path: any WritableKeyPath<Holder, Value> & Sendable) {
        self.init(key, path, .shared)
    }
}

/// A value with a word for each of its cases.
protocol StoredWord: FieldValue {
    var factWord: String { get }
    init?(factWord word: String)
}

extension StoredWord {
    package init(reading decoder: any Decoder) throws {
        let word = try decoder.singleValueContainer().decode(String.self)
        guard let value = Self(factWord: word) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "unknown: \(word)"))
        }
        self = value
    }

    package func write(to writer: inout JSONWriter) { writer.text(factWord) }
}

extension StoredWord where Self: RawRepresentable, RawValue == String {
    var factWord: String { rawValue }
    init?(factWord word: String) { self.init(rawValue: word) }
}

extension TrustAnchor: StoredWord {}
extension ClientCertificateUse: StoredWord {}
extension SCTSource: StoredWord {}
extension SCTRefusal: StoredWord {}
extension CertificateFacts.KeyType: StoredWord {}
extension HandshakeSignature.Scheme: StoredWord {}
extension ClientProgram: StoredWord {}
extension HelloShape: StoredWord {}
extension Confidence: StoredWord {}
extension Loader: StoredWord {}
extension LoadTarget.Scheme: StoredWord {}
extension RuleID: StoredWord {}
extension LoadEntrance: StoredWord {}
extension RecordSource: StoredWord {}
extension RecordedDevice.Outcome: StoredWord {}
extension RecordedRequest.WireProtocol: StoredWord {}
extension Refusal: StoredWord {}
extension ShownError.Style: StoredWord {}
extension Verdict: StoredWord {}

extension TLSVersion: StoredWord {
    var factWord: String { name }

    init?(factWord word: String) {
        guard let version = Self.allCases.first(where: { $0.name == word }) else { return nil }
        self = version
    }
}

extension CipherSuite: StoredWord {
    /// `c02b`, with the name if no profile has the suite: `c011 TLS_ECDHE_RSA_WITH_RC4_128_SHA`.
    var factWord: String {
        let digits = String(code, radix: 16)
        return knownNames[code] == name ? digits : digits + " " + name
    }

    init?(factWord word: String) {
        let parts = word.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard let code = parts.first.flatMap({ UInt16($0, radix: 16) }) else { return nil }
        guard let name = parts.count > 1 ? String(parts[1]) : knownNames[code] else { return nil }
        self.init(code: code, name: name)
    }
}

extension StapledAnswer.Status: StoredWord {
    /// `good`, `unknown`, `invalid`, or `revoked TIME` with the number of the reason if one is given.
    var factWord: String {
        switch self {
        case .good: "good"
        case .revoked(let time, let reason): "revoked \(time)" + (reason.map { " \($0)" } ?? "")
        case .unknown: "unknown"
        case .invalid: "invalid"
        }
    }

    init?(factWord word: String) {
        let parts = word.split(separator: " ")
        let numbers = parts.dropFirst().compactMap { Int64($0) }
        switch (parts.first, numbers.count) {
        case ("good", 0): self = .good
        case ("unknown", 0): self = .unknown
        case ("invalid", 0): self = .invalid
        case ("revoked", 1...2): self = .revoked(at: numbers[0], reason: numbers.dropFirst().first.map(Int.init))
        default: return nil
        }
    }
}

extension PathFault: StoredWord {
    /// The kind and the certificate's place in the path: `path-length 1`.
    var factWord: String { "\(kind.rawValue) \(place)" }

    init?(factWord word: String) {
        let parts = word.split(separator: " ")
        guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])), let place = Int(parts[1]) else {
            return nil
        }
        self.init(kind, at: place)
    }
}

extension HandshakeFailure: StoredWord {
    /// One word for the case, followed by its number or bytes.
    var factWord: String {
        switch self {
        case .alertReceived(let alert): "alert \(alert)"
        case .versionNotOffered: "version-not-offered"
        case .suiteNotOffered: "suite-not-offered"
        case .closed(let reset): reset ? "reset" : "closed"
        case .notTLS(let bytes): "not-tls" + bytes.map { " \($0)" }.joined()
        case .timeout: "timeout"
        case .nothingToOffer: "nothing-to-offer"
        case .chainTooLarge: "chain-too-large"
        case .library(let code): "library \(code)"
        }
    }

    init?(factWord word: String) {
        let parts = word.split(separator: " ")
        let number = parts.dropFirst().first
        switch parts.first {
        case "alert": self = .alertReceived(number.flatMap { UInt8($0) } ?? 0)
        case "version-not-offered": self = .versionNotOffered
        case "suite-not-offered": self = .suiteNotOffered
        case "reset": self = .closed(reset: true)
        case "closed": self = .closed(reset: false)
        case "not-tls": self = .notTLS(parts.dropFirst().compactMap { UInt8($0) })
        case "timeout": self = .timeout
        case "nothing-to-offer": self = .nothingToOffer
        case "chain-too-large": self = .chainTooLarge
        case "library": self = .library(number.flatMap { UInt64($0) } ?? 0)
        default: return nil
        }
    }
}

/// The suites that devices offer. Records need not repeat their names.
private let knownNames = Dictionary(
    OSProfile.all.flatMap(\.systemSuites).map { ($0.code, $0.name) }, uniquingKeysWith: { first, _ in first })

extension ExceptionFix: FieldValue {
    /// Appends the fix as a dictionary would contain it: the domain, then its keys and values.
    package func write(to writer: inout JSONWriter) {
        writer.raw("{")
        writer.text(domain)
        writer.raw(":{")
        var isFirst = true
        for setting in settings {
            if !isFirst { writer.raw(",") }
            isFirst = false
            writer.text(setting.key)
            writer.raw(":")
            switch setting.value {
            case .flag(let flag): writer.flag(flag)
            case .text(let text): writer.text(text)
            }
        }
        writer.raw("}}")
    }

    /// Reads the keys in alphabetical order, because JSON objects are unordered.
    package init(reading decoder: any Decoder) throws {
        let domains = try decoder.container(keyedBy: FieldKey.self)
        guard let domain = domains.allKeys.first else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "no domain"))
        }
        let values = try domains.nestedContainer(keyedBy: FieldKey.self, forKey: domain)
        let keys = values.allKeys.sorted { $0.stringValue < $1.stringValue }
        self.init(
            domain: domain.stringValue,
            settings: try keys.map { key in
                if let flag = try? values.decode(Bool.self, forKey: key) {
                    return Setting(key.stringValue, .flag(flag))
                }
                return Setting(key.stringValue, .text(try values.decode(String.self, forKey: key)))
            })
    }
}
