/// The options that a configuration file may hold, by their long names.
enum ConfigurationKey: String, CaseIterable {
    case policy, os, assume
    case subdomainDepth = "subdomain-depth"
    case localNets = "local-nets"
    case strictIP = "strict-ip"
    case siblingKeys = "sibling-keys"
    case keySizeWithoutPFS = "key-size-without-pfs"
    case certificateScope = "certificate-scope"
    case suiteList = "suite-list"
    case cbcSHA2 = "cbc-sha2"
    case legacyKeys = "legacy-keys"
    case addressKeys = "address-keys"
    case insecureTrust = "insecure-trust"
    case handshakeFailureCode = "handshake-failure-code"
    case selfSignedCode = "self-signed-code"
    case builtInExceptions = "built-in-exceptions"
    case pinWhenATSOff = "pin-when-ats-off"
    case mode, refuse, passthrough
    case appOverridesTrust = "app-overrides-trust"
    case appPin = "app-pin"
    case listen
    case portFile = "port-file"
    case allowLAN = "allow-lan"
    case web
    case connectTo = "connect-to"
    case roots
    case extraCA = "extra-ca"
    case timeout, drain
    case caDirectory = "ca-dir"
    case store, recording, json
    case verbose, quiet

    /// Takes true or false instead of a value.
    var isFlag: Bool {
        switch self {
        case .allowLAN, .verbose, .quiet: true
        case .policy, .os, .assume, .subdomainDepth, .localNets, .strictIP, .siblingKeys, .keySizeWithoutPFS,
            .certificateScope, .suiteList, .cbcSHA2, .legacyKeys, .addressKeys, .insecureTrust, .handshakeFailureCode,
            .selfSignedCode, .builtInExceptions, .pinWhenATSOff, .mode, .refuse, .passthrough, .appOverridesTrust,
            .appPin, .listen, .portFile, .web, .connectTo, .roots, .extraCA, .timeout, .drain, .caDirectory, .store,
            .recording, .json:
            false
        }
    }

    /// The name that was probably meant; nil when none comes close.
    static func nearest(to name: String) -> String? {
        name.lowercased().replacing("_", with: "-").nearest(among: allCases.map(\.rawValue))
    }
}
