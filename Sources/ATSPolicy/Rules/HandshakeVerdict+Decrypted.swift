extension HandshakeVerdict {
    /// The verdict on an origin that a decrypting proxy hides: it was not judged.
    ///
    /// The load continues only if the proxy's own handshake breaks no rule, so that no other rule becomes more lenient.
    ///
    /// - Parameter verdict: the verdict on the proxy's handshake.
    public static func decrypted(by proxy: DecryptingProxy, judged verdict: HandshakeVerdict) -> HandshakeVerdict {
        HandshakeVerdict(
            findings: [proxy.finding],
            failure: verdict.failure == nil ? nil : .network(.decrypted(proxy)), remedy: Remedy([.server(proxy.wayOut)])
        )
    }

    /// True if the origin was not judged, because a proxy decrypted the connection.
    public var isDecrypted: Bool { rule == .netDecrypted }
}

extension DecryptingProxy {
    var finding: Finding {
        Finding(
            rule: .netDecrypted, title: "Decrypted by a proxy after the gate", keyPath: nil,
            expected: "the server's own certificate", observed: observed, confidence: confidence, source: source)
    }

    private var observed: String {
        guard confidence == .inferred else {
            return "a certificate of \(name), which decrypts the connection; the server was not seen"
        }
        return "a certificate of “\(name)”, which is not public and signed for unrelated owners "
            + "(\(owners.joined(separator: ", "))), as a decrypting proxy does; verdicts on earlier loads with this CA do "
            + "not count either"
    }

    /// The sentence for the user: how to get a verdict.
    var wayOut: String {
        let setting = passthrough.map { " (\($0))" } ?? ""
        let isKnown = confidence != .inferred
        return
            "To judge the server, let \(isKnown ? name : "that proxy") pass its TLS through\(setting), or record its "
            + "bodies in a second session, without the gate."
            + (isKnown ? "" : " If “\(name)” is your own CA: --decrypted named.")
    }
}
