/// Every lint rule. A new one is a value in `Rules/` and a line here.
public enum LintBook {
    public static let rules: [LintRule] = [
        .arbitraryLoads, .neutralisedArbitraryLoads, .mediaInSimulators, .falseSibling,
        .notABoolean, .oddNumber, .notADictionary, .minimumTLSText, .voidMinimumTLS, .earlyTLS13,
        .inMediaKey, .unknownKey, .legacyKey, .misplacedKey, .outsideKey, .noDeclaration, .unset, .repeatedKey,
        .unresolvedVariable, .obsoleteTransparency, .niapValue, .niapTooOld,
        .schemeInKey, .pathInKey, .wildcardKey, .portInKey, .upperCaseKey, .trailingDotKey, .foreignKey, .malformedKey,
        .invalidRange, .longRange, .octalPrefix, .hostBits, .addressTooOld, .sharedAddressSpace,
        .unreachableParent, .notInherited, .deepSubdomain, .topLevelDomain, .catchAllRange,
        .sharedParent, .tunnelHost,
        .tighteningEntry, .insecureUnderArbitrary, .needlessLocalEntry, .addressSubdomains, .idleEntry, .tlsOnlyHost,
        .emptyPinList, .badPin, .placeholderPin, .noPins, .authorityPin, .singlePin, .retiredPin, .pinnedAddress,
        .pinsTooOld,
        .extensionWithoutException, .justification,
    ]

    /// Rules about a file rather than about the dictionary in it.
    public static let fileRules: [LintRule] = [.unreadable, .disableComment]

    public static var all: [LintRule] { rules + fileRules }
}
