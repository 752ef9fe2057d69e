/// The complaint of one rule about a load.
public struct Finding: Sendable, Hashable {
    public var rule: RuleID
    public var title: String
    /// The plist key that decided, or that would change the answer; nil if no key can.
    public var keyPath: String?
    public var expected: String
    public var observed: String
    public var confidence: Confidence
    /// The place where the rule is documented.
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

/// The reason why a load was blocked or failed. Raw values are stored and shown: never rename one, only add.
///
/// An id is declared next to its rule, in the rule's own file; ids without a handshake rule are in
/// `Finding.swift`. They are constants instead of an enumeration: a switch over rules would be a second place
/// that lists all of them.
public struct RuleID: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public let category: RuleCategory

    /// Declares an id. Only ATSPolicy does this.
    ///
    /// - Parameter rawValue: the category's name, a dot, and a unique name.
    init(_ rawValue: String, _ category: RuleCategory) {
        self.rawValue = rawValue
        self.category = category
    }

    /// Reads an id, for example from a store.
    ///
    /// - Returns: nil for text that is not a declared id.
    public init?(rawValue: String) {
        guard let known = Self.declared[rawValue] else { return nil }
        self = known
    }

    private static let declared = Dictionary(allCases.map { ($0.rawValue, $0) }) { first, _ in first }
}

extension RuleID: CaseIterable {
    /// The rules of the ``RuleBook`` in its order, then all other ids.
    public static let allCases = [cleartextLoad] + RuleBook.standard.rules.map(\.id) + incidents
}

/// The category of a rule id: the part before its dot.
public enum RuleCategory: String, Sendable, Hashable, CaseIterable {
    /// App Transport Security itself, according to the app's dictionary.
    case ats
    /// The system's own evaluation of certificates.
    case trust
    /// Decisions of the app's own code about certificates.
    case app
    /// A handshake that broke for a reason that no rule explains.
    case tls
    /// An origin, or a proxy on the way to it, that was not reached or was lost.
    case network = "net"
    /// Messages that are not valid HTTP.
    case http
    /// Actions of the client.
    case client
    /// Actions or limits of the gate itself.
    case gate

    /// The category of an id from a record, which may have been written by a later version.
    ///
    /// - Returns: nil for text that does not begin with a category.
    public init?(ofRule id: String) {
        guard let dot = id.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
        self.init(rawValue: String(id[..<dot]))
    }

    /// True if a load that ends for such a reason was blocked; otherwise it failed.
    public var isBlocking: Bool {
        switch self {
        case .ats, .trust, .app: true
        case .tls, .network, .http, .client, .gate: false
        }
    }
}

/// Ids of the endings of a load that are not handshake rules: incidents, and decisions of the app's own code.
extension RuleID {
    public static let tlsAlert = RuleID("tls.alert", .tls)
    public static let tlsClosed = RuleID("tls.closed", .tls)
    public static let tlsNotTLS = RuleID("tls.not-tls", .tls)
    public static let tlsTimeout = RuleID("tls.timeout", .tls)
    /// The origin fails the hello of 26 with X25519MLKEM768, and accepts the same hello without it.
    public static let tlsLargeHello = RuleID("tls.large-hello", .tls)

    public static let netName = RuleID("net.name", .network)
    public static let netRefused = RuleID("net.refused", .network)
    public static let netTimeout = RuleID("net.timeout", .network)
    public static let netReset = RuleID("net.reset", .network)
    /// The parent proxy did not connect to the origin.
    public static let netParent = RuleID("net.parent", .network)
    /// A proxy between the gate and the origin decrypts the connection, so the origin was not judged.
    public static let netDecrypted = RuleID("net.decrypted", .network)

    /// The app's own code accepts a certificate that the system rejects.
    public static let appTrustOverride = RuleID("app.trust-override", .app)
    /// The app's own code rejects a certificate that it does not pin.
    public static let appPin = RuleID("app.pin", .app)

    /// The origin's response was not valid HTTP.
    public static let httpMalformed = RuleID("http.malformed", .http)
    /// The client went away before its load was over.
    public static let clientGone = RuleID("client.gone", .client)
    /// The client rejected the gate's own certificate: its CA is not installed, or the app pins.
    public static let clientRejectedLeaf = RuleID("client.rejected-leaf", .client)
    /// The client pins the host, so the host is passed through.
    public static let clientPins = RuleID("client.pins", .client)
    /// A tunnel carries neither TLS nor HTTP.
    public static let clientOtherTraffic = RuleID("client.other-traffic", .client)
    /// The client names a host, in its hello or in a request, that differs from its tunnel's.
    public static let clientServerName = RuleID("client.server-name", .client)
    /// The client was redirected to an address that its requested name is not known to resolve to.
    public static let clientAddress = RuleID("client.address", .client)
    /// The client's own handshake, passed through, differed from the gate's.
    public static let clientOwnHandshake = RuleID("client.own-handshake", .client)
    /// Part of the client's own handshake, passed through, was encrypted.
    public static let clientUnseen = RuleID("client.unseen", .client)
    /// The client requests iCloud Private Relay, which would hide its loads from the gate.
    public static let clientPrivateRelay = RuleID("client.private-relay", .client)
    /// ATS does not govern the client.
    public static let clientOutside = RuleID("client.outside", .client)
    /// The client's User-Agent claims a loader of Apple's systems, and its ClientHello is another program's.
    public static let clientForeignHello = RuleID("client.foreign-hello", .client)
    /// The gate was stopped during the load.
    public static let gateStopped = RuleID("gate.stopped", .gate)
    /// The gate had no file descriptor left to connect with.
    public static let gateDescriptors = RuleID("gate.descriptors", .gate)
    /// The memory for unread bytes was spent.
    public static let gateMemory = RuleID("gate.memory", .gate)
    /// The load is addressed to the gate itself.
    public static let gateLoop = RuleID("gate.loop", .gate)
    /// A client on another machine requests an address of the gate's machine, or one that is link-local to it.
    public static let gateForbidden = RuleID("gate.forbidden", .gate)
    /// The origin's certificate chain is longer than the gate reads; the behaviour of a device is not known.
    public static let gateChainSize = RuleID("gate.chain-size", .gate)
    /// An internal error of the gate, unrelated to the client or the origin.
    public static let gateFault = RuleID("gate.fault", .gate)

    static let incidents = [
        tlsAlert, tlsClosed, tlsNotTLS, tlsTimeout, tlsLargeHello,
        netName, netRefused, netTimeout, netReset, netParent, netDecrypted,
        appTrustOverride, appPin,
        httpMalformed, clientGone, clientRejectedLeaf, clientPins, clientOtherTraffic, clientServerName,
        clientAddress, clientOwnHandshake, clientUnseen,
        clientPrivateRelay, clientOutside, clientForeignHello,
        gateStopped, gateDescriptors, gateMemory, gateLoop, gateForbidden, gateChainSize, gateFault,
    ]
}
