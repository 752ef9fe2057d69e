import Text

/// The names of the keys, and corrections of wrong names. Source: Apple, NSAppTransportSecurity; Apple,
/// NSExceptionDomains; Apple, Cocoa Keys (archive); docs/law/keys.md#global-keys, docs/law/keys.md#entry-keys,
/// docs/law/keys.md#old-spellings.
public enum ATSKey {
    public static let root = "NSAppTransportSecurity"

    public static let arbitraryLoads = "NSAllowsArbitraryLoads"
    public static let forMedia = "NSAllowsArbitraryLoadsForMedia"
    public static let inWebContent = "NSAllowsArbitraryLoadsInWebContent"
    public static let localNetworking = "NSAllowsLocalNetworking"
    public static let exceptionDomains = "NSExceptionDomains"
    public static let pinnedDomains = "NSPinnedDomains"
    public static let niapVersion = "NSRequiresNIAPTLSPackageVersion"

    public static let includesSubdomains = "NSIncludesSubdomains"
    public static let insecureHTTP = "NSExceptionAllowsInsecureHTTPLoads"
    public static let minimumTLS = "NSExceptionMinimumTLSVersion"
    public static let forwardSecrecy = "NSExceptionRequiresForwardSecrecy"
    public static let certificateTransparency = "NSRequiresCertificateTransparency"
    public static let exceptionNIAPVersion = "NSExceptionRequiresNIAPTLSPackageVersion"

    public static let leafPins = "NSPinnedLeafIdentities"
    public static let caPins = "NSPinnedCAIdentities"
    public static let pinIdentity = "SPKI-SHA256-BASE64"

    /// Keys at the top of the dictionary (docs/law/keys.md#global-keys).
    public static let global = [
        arbitraryLoads, forMedia, inWebContent, localNetworking, exceptionDomains, pinnedDomains, niapVersion,
    ]
    public static let globalBooleans = [arbitraryLoads, forMedia, inWebContent, localNetworking]
    /// Keys of an exception entry (docs/law/keys.md#entry-keys).
    public static let exception = [
        includesSubdomains, insecureHTTP, minimumTLS, forwardSecrecy, certificateTransparency, exceptionNIAPVersion,
    ]
    public static let exceptionBooleans = [includesSubdomains, insecureHTTP, forwardSecrecy]

    /// Spellings of 2015 and 2016, longest first; the parser of 18.4 ignores them (docs/law/keys.md#old-spellings, C8,
    /// source).
    private static let legacyPrefixes = [
        "NSTemporaryThirdPartyException", "NSTemporaryException", "NSThirdPartyException",
    ]

    /// Every older spelling.
    public static let legacy = exception.flatMap(legacySpellings)

    /// Returns the older spellings of a key, in the order of the lookup (inferred). Source: Apple, Cocoa Keys
    /// (archive); docs/law/keys.md#old-spellings.
    static func legacySpellings(of key: String) -> [String] {
        guard [insecureHTTP, minimumTLS, forwardSecrecy].contains(key) else { return [] }
        return legacyPrefixes.reversed().map { $0 + key.dropFirst("NSException".utf8.count) }
    }

    /// Returns the current name of a key with an older spelling.
    public static func current(forLegacy key: String) -> String? {
        guard key.hasPrefix("NST") else { return nil }
        for prefix in legacyPrefixes where key.hasPrefix(prefix) {
            let candidate = "NSException" + key.dropFirst(prefix.count)
            if exception.contains(candidate) { return candidate }
        }
        return nil
    }

    /// Returns the known key most similar to an unknown one, if it is similar enough.
    ///
    /// - Parameter candidates: the keys that are allowed in that place.
    public static func nearest(to key: String, among candidates: [String]) -> String? {
        // Apple's documentation itself had this misspelling in 2016 (observed; docs/law/keys.md#global-keys).
        if key == "NSAllowsArbitraryLoadsInMedia" { return forMedia }
        return key.nearest(among: candidates, within: nearDistance)
    }

    /// The largest edit distance at which a key still counts as misspelled.
    private static let nearDistance = 4
}

/// An ATS key in a place of the file where no release looks for it: outside of the dictionary, which
/// ``Declaration/members`` does not cover. The linter words the warning.
public struct StrayKey: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// A key of the dictionary, outside of it.
        case outside
        /// A misspelling of `NSAppTransportSecurity`.
        case misspelt
        /// `NSAppTransportSecurity` below another key. It counts only at the top of a property list, not inside
        /// NSExtension or elsewhere (Apple, NSAppTransportSecurity; docs/law/keys.md#when-it-applies).
        case nested
        /// A second `NSAppTransportSecurity`.
        case repeated(firstLine: Int?)
        /// A key of a dictionary without `NSAppTransportSecurity` around it, in a complete property list.
        case bare
        /// The file contains neither ATS keys nor keys of an Info.plist.
        case nothing
    }

    /// Key path from the top of the file.
    public var keyPath: String
    public var line: Int?
    public var kind: Kind

    public init(keyPath: String, line: Int?, kind: Kind) {
        self.keyPath = keyPath
        self.line = line
        self.kind = kind
    }

    /// Returns the stray keys of a property list.
    static func all(in top: [PropertyMember]) -> [StrayKey] {
        let own = top.filter { $0.key == ATSKey.root }
        let first = own.first?.keyLine
        var strays = own.dropFirst().map { StrayKey($0, at: $0.key, .repeated(firstLine: first)) }
        for member in top where member.key != ATSKey.root {
            if (ATSKey.global + ATSKey.exception).contains(member.key) || ATSKey.current(forLegacy: member.key) != nil {
                strays.append(StrayKey(member, at: member.key, .outside))
            } else if ATSKey.nearest(to: member.key, among: [ATSKey.root]) != nil {
                strays.append(StrayKey(member, at: member.key, .misspelt))
            }
            strays += nested(in: member.node, under: member.key)
        }
        return strays
    }

    private static func nested(in node: PropertyNode, under path: String) -> [StrayKey] {
        switch node.value {
        case .dictionary(let members):
            members.flatMap { member in
                let inner = path + "." + member.key
                return member.key == ATSKey.root
                    ? [StrayKey(member, at: inner, .nested)] : nested(in: member.node, under: inner)
            }
        case .array(let items):
            items.enumerated().flatMap { nested(in: $1, under: "\(path).\($0)") }
        case .boolean, .integer, .real, .string, .data, .date: []
        }
    }
}

extension StrayKey {
    private init(_ member: PropertyMember, at keyPath: String, _ kind: Kind) {
        self.init(keyPath: keyPath, line: member.keyLine ?? member.node.line, kind: kind)
    }
}
