public import ATSPolicy

extension JudgeSwitch {
    /// The option of commands that judge, for example `--subdomain-depth`.
    public var option: String {
        switch self {
        case .subdomainDepth: "--subdomain-depth"
        case .localNetworks: "--local-nets"
        case .strictIP: "--strict-ip"
        case .linkedSDK: "--linked-sdk"
        case .localNames: "--local-names"
        case .localhostNames: "--localhost-names"
        case .webLocalTrust: "--web-local-trust"
        case .siblingKeys: "--sibling-keys"
        case .keySizeWithoutForwardSecrecy: "--key-size-without-pfs"
        case .certificateScope: "--certificate-scope"
        case .suiteList: "--suite-list"
        case .cbcSHA2: "--cbc-sha2"
        case .legacyKeys: "--legacy-keys"
        case .addressKeys: "--address-keys"
        case .insecureTrust: "--insecure-trust"
        case .builtInExceptions: "--built-in-exceptions"
        case .pinWhenATSOff: "--pin-when-ats-off"
        case .handshakeFailureCode: "--handshake-failure-code"
        case .selfSignedCode: "--self-signed-code"
        case .consoleVariants: "--console-variants"
        }
    }
}

extension SwitchSetting {
    /// The setting in the form of the command line, for example `--subdomain-depth one`.
    public var option: String { "\(judgeSwitch.option) \(value)" }

    private var value: String {
        switch self {
        case .subdomainDepth(let depth): depth.rawValue
        case .localNetworks(let networks): networks.value
        case .linkedSDK(let reading): reading.rawValue
        case .localNames(let reading): reading.rawValue
        case .localhostNames(let reading): reading.rawValue
        case .webLocalTrust(let reading): reading.rawValue
        case .siblingKeys(let reading): reading.rawValue
        case .certificateScope(let scope): scope.rawValue
        case .suiteList(let list): list.rawValue
        case .insecureTrust(let reading): reading.rawValue
        case .handshakeFailureCode(let code): "\(code.rawValue)"
        case .selfSignedCode(let code): "\(code.rawValue)"
        case .consoleVariants(let variants):
            variants.isEmpty
                ? "none" : ConsoleVariant.allCases.filter(variants.contains).map(\.rawValue).joined(separator: ",")
        case .strictIP(let isOn), .keySizeWithoutForwardSecrecy(let isOn), .cbcSHA2(let isOn), .legacyKeys(let isOn),
            .addressKeys(let isOn), .builtInExceptions(let isOn), .pinWhenATSOff(let isOn):
            isOn ? "on" : "off"
        }
    }
}

extension SwitchSetting.LocalNetworks {
    fileprivate var value: String {
        switch self {
        case .onLink: "on-link"
        case .any: "any"
        case .withSharedSpace: "default,100.64.0.0/10"
        }
    }
}

extension OtherReading {
    /// The settings in the form of the command line.
    public var option: String { settings.map(\.option).joined(separator: " ") }
}
