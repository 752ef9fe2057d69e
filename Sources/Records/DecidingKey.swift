import ATSPolicy

/// What decided over a load, in words. A key that is not in the file is never named as the one that did.
public struct DecidingKey: Sendable {
    /// File of the dictionary; nil for the secure defaults.
    public let source: String?
    /// Path of the key that decided the ruling, from `NSAppTransportSecurity`; nil when none did.
    public let key: String?
    /// Its line in the file.
    public let line: Int?
    /// Entry that served the host.
    public let entry: String?
    public let isBuiltIn: Bool

    public init(_ policy: RecordedPolicy) {
        source = policy.source
        key = policy.basis?.keyPath
        line = policy.line
        entry = policy.basis?.entry
        isBuiltIn = policy.basis?.isBuiltIn ?? false
    }

    public init(_ policy: DecodedObject<PolicyFields>) {
        source = policy.source
        key = policy.key
        line = policy.line
        entry = policy.entry
        isBuiltIn = policy.builtIn
    }

    /// For example `Info.plist:14 NSExceptionDomains.example.com`, or `no entry: secure default`.
    ///
    /// - Parameters:
    ///   - rule: the deciding one.
    ///   - keyPath: that of its finding: in the file only where the rule says that a key decided.
    /// - Returns: nil where a dictionary has no say, as over certificates.
    public func words(for rule: String, keyPath: String?) -> String? {
        guard let rule = RuleID(rawValue: rule), rule.category == .ats else { return nil }
        switch rule {
        case .cleartextLoad: return key.map(place) ?? Self.nothing
        case .osTLSFloor: return "the system, whatever a dictionary says"
        case .pinnedIdentity: return keyPath.map(place)
        case .niap where entry == nil: return place("\(ATSKey.root).\(ATSKey.niapVersion)")
        default:
            guard let entry else { return Self.nothing }
            if isBuiltIn { return "the exception for \(entry) that is built into the system" }
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
