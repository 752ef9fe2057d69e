import Text

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
    case otherUpgrades = "other-upgrades"
    case appOverridesTrust = "app-overrides-trust"
    case appPin = "app-pin"
    case listen
    case portFile = "port-file"
    case allowLAN = "allow-lan"
    case web
    case connectTo = "connect-to"
    case parent
    case noParent = "no-parent"
    case clientCert = "client-cert"
    case keepAltSvc = "keep-alt-svc"
    case keylog
    case roots
    case extraCA = "extra-ca"
    case ctLogs = "ct-logs"
    case timeout, drain
    case caDirectory = "ca-dir"
    case store, recording, json
    case verbose, quiet

    /// Takes true or false instead of a value.
    var isFlag: Bool { Self.flags.contains(self) }

    private static let flags: Set<ConfigurationKey> = [.allowLAN, .keepAltSvc, .verbose, .quiet]

    /// The name that was probably meant; nil when none comes close.
    static func nearest(to name: String) -> String? {
        name.lowercased().replacing("_", with: "-").nearest(among: allCases.map(\.rawValue))
    }
}
