/// Where the sources of the law disagree, as docs/contradictions.md numbers it, and what is done about each.
public enum Contradiction: String, Sendable, Hashable, CaseIterable {
    case subdomainDepth = "C1"
    case localAddresses = "C2"
    case siblingKeys = "C3"
    case keySizeWithoutForwardSecrecy = "C4"
    case certificateScope = "C5"
    case suiteList = "C6"
    case versionCode = "C7"
    case legacySpellings = "C8"
    case addressKeys = "C9"
    case insecureTrust = "C10"
    case upgrade = "C11"
    case trailingDot = "C12"
    case letterCase = "C13"
    case handshakeFailureCode = "C14"
    case selfSignedCode = "C15"
    case localNames = "C16"
    case localhostNames = "C17"
    case webLocalTrust = "C18"

    public enum Answer: Sendable, Hashable {
        /// Those that flip it.
        case switches([JudgeSwitch])
        /// Why there is nothing to flip.
        case settled(String)
    }

    /// The table; the pages of docs/contradictions.md tell the defaults.
    public var answer: Answer {
        switch self {
        case .subdomainDepth: .switches([.subdomainDepth])
        case .localAddresses: .switches([.strictIP, .localNetworks, .linkedSDK])
        case .siblingKeys: .switches([.siblingKeys])
        case .keySizeWithoutForwardSecrecy: .switches([.keySizeWithoutForwardSecrecy])
        case .certificateScope: .switches([.certificateScope])
        case .suiteList: .switches([.suiteList, .cbcSHA2])
        case .versionCode:
            .settled(
                "the number follows from what the origin does, and the gate sees that: alert 70 is -9836, an answer "
                    + "with an older version is -9801 on iOS 9 and 10 and -9836 later")
        case .legacySpellings: .switches([.legacyKeys])
        case .addressKeys: .switches([.addressKeys])
        case .insecureTrust: .switches([.insecureTrust])
        case .upgrade: .settled("only betas of 2015 rewrote http to https; no release did")
        case .trailingDot:
            .settled("both sources are right: exceptions take the dot literally, pins and certificates drop one")
        case .letterCase: .settled("both sources are right: exceptions go by case, pins do not")
        case .handshakeFailureCode: .switches([.handshakeFailureCode])
        case .selfSignedCode: .switches([.selfSignedCode])
        case .localNames: .switches([.localNames])
        case .localhostNames: .switches([.localhostNames])
        case .webLocalTrust: .switches([.webLocalTrust])
        }
    }
}
