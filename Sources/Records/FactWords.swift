import ATSPolicy

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
