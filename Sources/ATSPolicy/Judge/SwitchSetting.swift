/// The switches of ``JudgeSwitches``, by topic. Commands define their option names.
public enum JudgeSwitch: Sendable, Hashable, CaseIterable {
    case subdomainDepth, localNetworks, strictIP, linkedSDK, localNames, localhostNames, webLocalTrust, siblingKeys
    case keySizeWithoutForwardSecrecy, certificateScope, suiteList, cbcSHA2
    case legacyKeys, addressKeys, insecureTrust, builtInExceptions, pinWhenATSOff
    case handshakeFailureCode, selfSignedCode, consoleVariants
}

/// One switch and its value.
public enum SwitchSetting: Sendable, Hashable {
    /// Lists of addresses that some source supports.
    public enum LocalNetworks: Sendable, Hashable {
        case onLink
        case any
        /// The default networks and 100.64.0.0/10 (RFC 6598).
        case withSharedSpace
    }

    case subdomainDepth(JudgeSwitches.SubdomainDepth)
    case localNetworks(LocalNetworks)
    case strictIP(Bool)
    case linkedSDK(JudgeSwitches.LinkedSDKReading)
    case localNames(JudgeSwitches.LocalNames)
    case localhostNames(JudgeSwitches.LocalhostNames)
    case webLocalTrust(JudgeSwitches.WebLocalTrust)
    case siblingKeys(JudgeSwitches.SiblingReading)
    case keySizeWithoutForwardSecrecy(Bool)
    case certificateScope(JudgeSwitches.CertificateScope)
    case suiteList(JudgeSwitches.SuiteList)
    case cbcSHA2(Bool)
    case legacyKeys(Bool)
    case addressKeys(Bool)
    case insecureTrust(JudgeSwitches.InsecureTrust)
    case builtInExceptions(Bool)
    case pinWhenATSOff(Bool)
    case handshakeFailureCode(AppleReadings.HandshakeFailure)
    case selfSignedCode(AppleReadings.SelfSigned)
    case consoleVariants(Set<ConsoleVariant>)

    public var judgeSwitch: JudgeSwitch {
        switch self {
        case .subdomainDepth: .subdomainDepth
        case .localNetworks: .localNetworks
        case .strictIP: .strictIP
        case .linkedSDK: .linkedSDK
        case .localNames: .localNames
        case .localhostNames: .localhostNames
        case .webLocalTrust: .webLocalTrust
        case .siblingKeys: .siblingKeys
        case .keySizeWithoutForwardSecrecy: .keySizeWithoutForwardSecrecy
        case .certificateScope: .certificateScope
        case .suiteList: .suiteList
        case .cbcSHA2: .cbcSHA2
        case .legacyKeys: .legacyKeys
        case .addressKeys: .addressKeys
        case .insecureTrust: .insecureTrust
        case .builtInExceptions: .builtInExceptions
        case .pinWhenATSOff: .pinWhenATSOff
        case .handshakeFailureCode: .handshakeFailureCode
        case .selfSignedCode: .selfSignedCode
        case .consoleVariants: .consoleVariants
        }
    }
}

extension JudgeSwitches {
    mutating func take(_ setting: SwitchSetting) {
        switch setting {
        case .subdomainDepth(let depth): subdomainDepth = depth
        case .localNetworks(let networks): take(networks)
        case .strictIP(let isOn): strictIP = isOn
        case .linkedSDK(let reading): linkedSDK = reading
        case .localNames(let reading): localNames = reading
        case .localhostNames(let reading): localhostNames = reading
        case .webLocalTrust(let reading): webLocalTrust = reading
        case .siblingKeys(let reading): siblingKeys = reading
        case .keySizeWithoutForwardSecrecy(let isOn): keySizeWithoutForwardSecrecy = isOn
        case .certificateScope(let scope): certificateScope = scope
        case .suiteList(let list): suiteList = list
        case .cbcSHA2(let isOn): cbcSHA2 = isOn
        case .legacyKeys(let isOn): legacyKeys = isOn
        case .addressKeys(let isOn): addressKeys = isOn
        case .insecureTrust(let reading): insecureTrust = reading
        case .builtInExceptions(let isOn): builtInExceptions = isOn
        case .pinWhenATSOff(let isOn): pinWhenATSOff = isOn
        case .handshakeFailureCode(let code): apple.handshakeFailure = code
        case .selfSignedCode(let code): apple.selfSigned = code
        case .consoleVariants(let variants): apple.variants = variants
        }
    }

    private mutating func take(_ networks: SwitchSetting.LocalNetworks) {
        switch networks {
        case .onLink: localNetworks = Self.onLink
        case .any: localNetworks = Self.allNetworks
        case .withSharedSpace: localNetworks += Self.sharedSpace
        }
    }
}
