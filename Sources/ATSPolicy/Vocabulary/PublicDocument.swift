/// A public document that a source cites, with its URL. Names are those of `docs/sources.md`.
///
/// A source is a list separated by semicolons: public documents first, the section of `docs/` that explains it last,
/// for example `Apple support 103769; docs/law/trust.md#key-size`.
public struct PublicDocument: Sendable, Hashable {
    /// As in the source, for example `Security, SecPolicy.c`.
    public let name: String
    /// Its URL.
    public let address: String

    /// The document that a source names first; nil if that document has no URL.
    public init?(citedFirstIn source: String) {
        let name = String(source.prefix { $0 != ";" })
        guard let address = Self.address(of: name) else { return nil }
        self.name = name
        self.address = address
    }

    /// Returns the section of `docs/` that a source ends with; nil if it has none.
    public static func topic(of source: String) -> String? {
        source.split(separator: ";").lazy.map { $0.drop { $0 == " " } }.first { $0.hasPrefix("docs/") }.map(String.init)
    }

    private static func address(of name: String) -> String? {
        if let known = addresses[name] { return known }
        let publishers: [(prefix: String, address: (Substring) -> String?)] = [
            ("Apple support ", { "https://support.apple.com/\($0.prefix { $0 != "," })" }),
            ("Apple, NS", appleKey),
            ("Security, ", { file in securityFolders[String(file)].map { securityTree + $0 + "/" + file } }),
            ("coreTLS, ", { "https://github.com/apple-oss-distributions/coreTLS/blob/main/lib/\($0)" }),
            ("RFC ", { "https://www.rfc-editor.org/rfc/rfc\($0.prefix { $0.isNumber })" }),
            ("openradar ", { "https://openradar.appspot.com/\($0)" }),
            ("OWASP MASTG", { _ in "https://mas.owasp.org/MASTG/" }),
        ]
        for (prefix, address) in publishers where name.hasPrefix(prefix) {
            return address(name.dropFirst(prefix.count))
        }
        return issue(name)
    }

    /// Global keys have pages below the dictionary's page, the keys of its entries next to it.
    private static func appleKey(_ rest: Substring) -> String? {
        guard rest.allSatisfy({ $0.isASCII && $0.isLetter }) else { return nil }
        let key = "ns" + rest.lowercased()
        let isGlobal = key.hasPrefix("nsallows") || key == "nsexceptiondomains" || key == "nspinneddomains"
        return propertyList + (isGlobal ? "nsapptransportsecurity/" : "") + key
    }

    /// `OWNER/NAME 12`.
    private static func issue(_ name: String) -> String? {
        let parts = name.split(separator: " ")
        guard parts.count == 2, parts[0].count(where: { $0 == "/" }) == 1, parts[1].allSatisfy(\.isNumber) else {
            return nil
        }
        return "https://github.com/\(parts[0])/issues/\(parts[1])"
    }

    private static let propertyList =
        "https://developer.apple.com/documentation/bundleresources/information-property-list/"
    private static let securityTree =
        "https://github.com/apple-oss-distributions/Security/blob/Security-61901.0.87.0.1/"

    private static let securityFolders = [
        "SecProtocolConfiguration.m": "protocol", "SecProtocolConfigurationTest.m": "protocol",
        "SecProtocolInternal.h": "protocol", "SecProtocolHelper.m": "protocol", "SecProtocolTypes.h": "protocol",
        "SecPolicy.c": "OSX/sec/Security", "SecPolicyLeafCallbacks.c": "OSX/sec/Security",
        "SecPolicyChecks.list": "OSX/sec/Security", "SecFrameworkStrings.h": "OSX/sec/Security",
        "SecPolicyServer.c": "trust/trustd", "CertificateTransparency.m": "trust/trustd", "SecBase.h": "base",
        "SecTrustServer.c": "trust/trustd", "SecCertificateServer.c": "trust/trustd",
    ]

    private static let addresses = [
        "Apple, NSURLErrorDomain": "https://developer.apple.com/documentation/foundation/nsurlerrordomain",
        "Apple, URLSession.AuthChallengeDisposition":
            "https://developer.apple.com/documentation/foundation/urlsession/authchallengedisposition",
        "Apple, Preventing Insecure Network Connections":
            "https://developer.apple.com/documentation/security/preventing-insecure-network-connections",
        "Apple, Identifying the source of blocked connections":
            "https://developer.apple.com/documentation/security/identifying-the-source-of-blocked-connections",
        "Apple, Cocoa Keys (archive)":
            "https://developer.apple.com/library/archive/documentation/General/Reference/InfoPlistKeyReference/"
            + "Articles/CocoaKeys.html",
        "Apple, iOS 26 release notes, 135996267":
            "https://developer.apple.com/documentation/ios-ipados-release-notes/ios-ipados-26-release-notes",
        "Apple, macOS 26 release notes":
            "https://developer.apple.com/documentation/macos-release-notes/macos-26-release-notes",
        "Apple Platform Security, TLS security": "https://support.apple.com/guide/security/welcome/web",
        "Apple, CFPropertyList.c":
            "https://github.com/swiftlang/swift-corelibs-foundation/blob/main/Sources/CoreFoundation/CFPropertyList.c",
    ]
}

/// Sections of `docs` that messages refer to.
public enum DocsSection: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    case addressKeys = "docs/law/addresses.md#address-keys"
    case addressesByRelease = "docs/law/addresses.md#by-release"
    case builtInExceptions = "docs/law/keys.md#built-in-exceptions"
    case entryKeys = "docs/law/keys.md#entry-keys"
    case globalKeys = "docs/law/keys.md#global-keys"
    case oldSpellings = "docs/law/keys.md#old-spellings"
    case typesOfValues = "docs/law/keys.md#types-of-values"
    case coverage = "docs/law/loaders.md#coverage"
    case outside = "docs/law/loaders.md#outside"
    case mediaInSimulator = "docs/law/loaders.md#media-in-a-simulator"
    case userAgent = "docs/law/loaders.md#user-agent"
    case consoleVariants = "docs/console-lines.md#variants"
    case niapPackage = "docs/law/niap.md#package-21"
    case pins = "docs/law/pinning.md"
    case withATSOff = "docs/law/pinning.md#with-ats-off"
    case darwin = "docs/law/profiles.md#darwin"
    case ios27 = "docs/law/profiles.md#ios-27"
    case ios9 = "docs/law/rulings.md#ios-9"
    case siblings = "docs/law/rulings.md#siblings"
    case groupsAndSignatures = "docs/law/tls.md#groups-and-signatures"
    case hybridGroup = "docs/law/tls.md#hybrid-group"
    case suites = "docs/law/tls.md#suites"
    case systemFloor = "docs/law/tls.md#system-floor"
    case tlsVersions = "docs/law/tls.md#versions"

    public var description: String { rawValue }
}
