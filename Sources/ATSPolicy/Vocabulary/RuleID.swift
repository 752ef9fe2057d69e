/// Why a load was refused or failed. Raw values are stored and shown: never rename one, only add. Source: design, section 5.
public enum RuleID: String, Sendable, Hashable, CaseIterable {
    case cleartextLoad = "ats.cleartext-load"
    case tlsVersion = "ats.tls-version"
    case osTLSFloor = "ats.os-tls-floor"
    case forwardSecrecy = "ats.forward-secrecy"
    case cipherSuite = "ats.cipher-suite"
    case keySize = "ats.key-size"
    case signatureHash = "ats.signature-hash"
    case pinnedIdentity = "ats.pinned-identity"
    case atsCertificateTransparency = "ats.certificate-transparency"
    case niap = "ats.niap"

    case untrustedRoot = "trust.untrusted-root"
    case selfSigned = "trust.self-signed"
    case incompleteChain = "trust.incomplete-chain"
    case expired = "trust.expired"
    case notYetValid = "trust.not-yet-valid"
    case hostName = "trust.host-name"
    case noSAN = "trust.no-san"
    case serverAuthEKU = "trust.server-auth-eku"
    case validityPeriod = "trust.validity-period"
    case trustKeySize = "trust.key-size"
    case trustSignatureHash = "trust.signature-hash"
    case revoked = "trust.revoked"
    case certificateTransparency = "trust.certificate-transparency"

    case tlsAlert = "tls.alert"
    case tlsClosed = "tls.closed"
    case tlsNotTLS = "tls.not-tls"
    case tlsTimeout = "tls.timeout"

    case netName = "net.name"
    case netRefused = "net.refused"
    case netTimeout = "net.timeout"
    case netReset = "net.reset"
    /// The parent proxy did not lead to the origin.
    case netParent = "net.parent"

    /// The app's own code accepts a certificate that the system refuses.
    case appTrustOverride = "app.trust-override"
    /// The app's own code refuses a certificate that it does not pin.
    case appPin = "app.pin"

    /// The origin's answer was no valid HTTP.
    case httpMalformed = "http.malformed"
    /// The client went away before its load was over.
    case clientGone = "client.gone"
    /// The client refused the gate's own certificate: its CA is not installed, or the app pins.
    case clientRejectedLeaf = "client.rejected-leaf"
    /// A tunnel carries what is neither TLS nor HTTP.
    case clientOtherTraffic = "client.other-traffic"
    /// The client's hello names another host than its tunnel was opened to.
    case clientServerName = "client.server-name"
    /// The gate was stopped in the middle of the load.
    case gateStopped = "gate.stopped"
    /// Something went wrong in the gate itself.
    case gateFault = "gate.fault"
    /// The gate had no descriptor left to connect with.
    case gateDescriptors = "gate.descriptors"
    /// The load asks for the gate itself.
    case gateLoop = "gate.loop"
}

/// One rule's complaint about a load.
public struct Finding: Sendable, Hashable {
    public var rule: RuleID
    public var title: String
    /// The plist key that decided, or that would change the answer; nil when no key can.
    public var keyPath: String?
    public var expected: String
    public var observed: String
    public var confidence: Confidence
    /// Where the rule is written down.
    public var source: String

    public init(
        rule: RuleID, title: String, keyPath: String?, expected: String, observed: String, confidence: Confidence,
        source: String
    ) {
        self.rule = rule
        self.title = title
        self.keyPath = keyPath
        self.expected = expected
        self.observed = observed
        self.confidence = confidence
        self.source = source
    }
}
