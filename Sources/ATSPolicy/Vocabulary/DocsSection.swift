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
