import ATSPolicy

/// The key or default that decided a load, in words. Never names a key that the file does not contain.
public struct DecidingKey: Sendable {
    /// File of the dictionary; nil for the secure defaults.
    public let source: String?
    /// Path of the key that decided the ruling, from `NSAppTransportSecurity`; nil if none did.
    public let key: String?
    /// The key's line in the file.
    public let line: Int?
    /// The entry that applies to the host.
    public let entry: String?
    public let isBuiltIn: Bool

    public init(_ policy: RecordedPolicy) {
        source = policy.source
        key = policy.basis?.keyPath
        line = policy.line
        entry = policy.basis?.entry
        isBuiltIn = policy.basis?.isBuiltIn ?? false
    }

    /// The decision as text, for example `Info.plist:14 NSExceptionDomains.example.com` or `no entry: secure default`.
    ///
    /// - Parameters:
    ///   - rule: the deciding rule.
    ///   - keyPath: the key path of its finding; the file contains it only if the rule means that a key decided.
    /// - Returns: nil if a dictionary has no influence, as with certificates.
    public func words(for rule: String, keyPath: String?) -> String? {
        guard let rule = RuleID(rawValue: rule), rule.category == .ats else { return nil }
        switch rule {
        case .cleartextLoad: return key.map(place) ?? Self.nothing
        case .osTLSFloor: return "fixed by the release; no dictionary changes it"
        case .pinnedIdentity: return keyPath.map(place)
        case .niap where entry == nil: return place("\(ATSKey.root).\(ATSKey.niapVersion)")
        default:
            guard let entry else { return Self.nothing }
            if isBuiltIn { return "the exception for \(entry), built into the system" }
            return place("\(ATSKey.root).\(ATSKey.exceptionDomains).\(entry)")
        }
    }

    private func place(_ path: String) -> String {
        let name = path.hasPrefix(ATSKey.root + ".") ? String(path.dropFirst(ATSKey.root.utf8.count + 1)) : path
        guard let source else { return name }
        let line = path == key ? line.map { ":\($0)" } ?? "" : ""
        return "\(source)\(line) \(name)"
    }

    private static let nothing = "no entry: secure default"
}

extension LoadRecord {
    /// The decision about the first finding, in words; nil without a finding, or if a dictionary has no influence.
    public var deciding: String? {
        self.findings.first.flatMap {
            DecidingKey(self.policy).words(for: $0.rule.rawValue, keyPath: $0.keyPath)
        }
    }
}
