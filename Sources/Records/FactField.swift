import ATSPolicy
import Text

/// One property of a structure of facts: its name in the store, and how it is written and read.
struct FactField<Sheet>: Sendable {
    /// Appends the comma, the name and the value. Appends nothing for a value that equals a missing field.
    let write: @Sendable (Sheet, inout JSONWriter, _ isFirst: Bool) -> Bool
    let read: @Sendable (inout Sheet, KeyedDecodingContainer<FieldKey>) throws -> Void

    init<Value: FieldValue>(_ key: StaticString, _ path: any WritableKeyPath<Sheet, Value> & Sendable) {
        write = { sheet, writer, isFirst in
            let value = sheet[keyPath: path]
            guard !value.isAbsent else { return false }
            writer.key(key, isFirst: isFirst)
            value.write(to: &writer)
            return true
        }
        read = { sheet, object in
            if object.contains(FieldKey(key)) {
                sheet[keyPath: path] = try object.read(Value.self, at: FieldKey(key))
            } else if let absent = Value.absent {
                sheet[keyPath: path] = absent
            }
        }
    }
}

/// A structure of facts that a store can keep. A new property needs one line in `fields`; a test counts them.
protocol StoredFacts: FieldValue {
    /// The value before any field is read.
    static var blank: Self { get }
    static var fields: [FactField<Self>] { get }
}

extension StoredFacts {
    init(reading decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: FieldKey.self)
        self = Self.blank
        for field in Self.fields { try field.read(&self, object) }
    }

    func write(to writer: inout JSONWriter) {
        var isFirst = true
        writer.raw("{")
        for field in Self.fields where field.write(self, &writer, isFirst) { isFirst = false }
        writer.raw("}")
    }
}

/// A value with a word for each of its cases.
protocol StoredWord: FieldValue {
    var factWord: String { get }
    init?(factWord word: String)
}

extension StoredWord {
    init(reading decoder: any Decoder) throws {
        let word = try decoder.singleValueContainer().decode(String.self)
        guard let value = Self(factWord: word) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "unknown: \(word)"))
        }
        self = value
    }

    func write(to writer: inout JSONWriter) { writer.text(factWord) }
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
        case "chain-too-large": self = .chainTooLarge
        case "library": self = .library(number.flatMap { UInt64($0) } ?? 0)
        default: return nil
        }
    }
}

/// The suites that devices offer. Records need not repeat their names.
private let knownNames = Dictionary(
    OSProfile.all.flatMap(\.systemSuites).map { ($0.code, $0.name) }, uniquingKeysWith: { first, _ in first })
