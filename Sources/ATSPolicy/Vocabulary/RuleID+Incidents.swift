/// Ids of what ends a load without a rule on handshakes: things that happen, and what the app's own code says.
extension RuleID {
    public static let tlsAlert = RuleID("tls.alert", .tls)
    public static let tlsClosed = RuleID("tls.closed", .tls)
    public static let tlsNotTLS = RuleID("tls.not-tls", .tls)
    public static let tlsTimeout = RuleID("tls.timeout", .tls)

    public static let netName = RuleID("net.name", .network)
    public static let netRefused = RuleID("net.refused", .network)
    public static let netTimeout = RuleID("net.timeout", .network)
    public static let netReset = RuleID("net.reset", .network)
    /// The parent proxy did not lead to the origin.
    public static let netParent = RuleID("net.parent", .network)

    /// The app's own code accepts a certificate that the system refuses.
    public static let appTrustOverride = RuleID("app.trust-override", .app)
    /// The app's own code refuses a certificate that it does not pin.
    public static let appPin = RuleID("app.pin", .app)

    /// The origin's answer was no valid HTTP.
    public static let httpMalformed = RuleID("http.malformed", .http)
    /// The client went away before its load was over.
    public static let clientGone = RuleID("client.gone", .client)
    /// The client refused the gate's own certificate: its CA is not installed, or the app pins.
    public static let clientRejectedLeaf = RuleID("client.rejected-leaf", .client)
    /// The client pins the host, which is passed through for that.
    public static let clientPins = RuleID("client.pins", .client)
    /// A tunnel carries what is neither TLS nor HTTP.
    public static let clientOtherTraffic = RuleID("client.other-traffic", .client)
    /// The client names another host, in its hello or in a request, than its tunnel was opened to.
    public static let clientServerName = RuleID("client.server-name", .client)
    /// The client was redirected to an address that the name it asks for is not known to lead to.
    public static let clientAddress = RuleID("client.address", .client)
    /// The client's own handshake, passed through, showed something else than the gate's own.
    public static let clientOwnHandshake = RuleID("client.own-handshake", .client)
    /// Not all of the client's own handshake, passed through, was in the clear.
    public static let clientUnseen = RuleID("client.unseen", .client)
    /// The client asks for iCloud Private Relay, in which loads would leave unseen.
    public static let clientPrivateRelay = RuleID("client.private-relay", .client)
    /// ATS does not govern the client.
    public static let clientOutside = RuleID("client.outside", .client)
    /// The gate was stopped in the middle of the load.
    public static let gateStopped = RuleID("gate.stopped", .gate)
    /// The gate had no descriptor left to connect with.
    public static let gateDescriptors = RuleID("gate.descriptors", .gate)
    /// The load asks for the gate itself.
    public static let gateLoop = RuleID("gate.loop", .gate)
    /// A client of another machine asks for the gate's own one, or for what is only on its link.
    public static let gateForbidden = RuleID("gate.forbidden", .gate)
    /// The origin's chain of certificates is longer than the gate reads; what a device makes of it is not known.
    public static let gateChainSize = RuleID("gate.chain-size", .gate)
    /// An error of the gate itself, which says nothing about the client or the origin.
    public static let gateFault = RuleID("gate.fault", .gate)

    static let incidents = [
        tlsAlert, tlsClosed, tlsNotTLS, tlsTimeout,
        netName, netRefused, netTimeout, netReset, netParent,
        appTrustOverride, appPin,
        httpMalformed, clientGone, clientRejectedLeaf, clientPins, clientOtherTraffic, clientServerName,
        clientAddress, clientOwnHandshake, clientUnseen,
        clientPrivateRelay, clientOutside,
        gateStopped, gateDescriptors, gateLoop, gateForbidden, gateChainSize, gateFault,
    ]
}
