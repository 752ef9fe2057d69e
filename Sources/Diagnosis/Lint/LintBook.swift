/// Every lint rule. A new one is a value in `Rules/` and a line here.
public enum LintBook {
    public static let rules: [LintRule] = [
        .neutralisedArbitraryLoads, .falseSibling,
        .notABoolean, .oddNumber, .notADictionary, .minimumTLSText, .voidMinimumTLS,
        .inMediaKey, .unknownKey, .legacyKey, .misplacedKey, .outsideKey, .noDeclaration, .repeatedKey,
        .unresolvedVariable, .obsoleteTransparency, .niapValue, .niapTooOld,
        .schemeInKey, .pathInKey, .wildcardKey, .portInKey, .upperCaseKey, .trailingDotKey, .foreignKey, .malformedKey,
        .invalidRange, .longRange, .octalPrefix, .hostBits, .addressTooOld, .sharedAddressSpace,
        .unreachableParent, .notInherited, .deepSubdomain, .topLevelDomain, .catchAllRange,
        .tighteningEntry, .idleEntry, .tlsOnlyHost,
        .emptyPinList, .badPin, .noPins, .authorityPin, .pinnedAddress, .pinsTooOld,
        .justifyArbitraryLoads, .justifyMedia, .justifyWebContent, .justifyInsecureLoads, .justifyMinimumTLS,
    ]
}
