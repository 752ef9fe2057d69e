import ATSPolicy

/// Origins that break a handshake, or send away.
extension OriginSpecification {
    /// What no certificate is to blame for.
    static let behaviours =
        [
            OriginSpecification(
                name: "stalls.lab.test", flaw: "Takes the ClientHello and says nothing.", behaviour: .stalls,
                outcomes: .always(.timeout)),
            OriginSpecification(
                name: "noise.lab.test", flaw: "Answers a ClientHello with the greeting of an SSH server.",
                behaviour: .noise, outcomes: .always(.notTLS)),
        ] + alerts + [redirecting] + insisting

    /// Names from RFC 8446 section 6, for 86 RFC 7507.
    private static let alerts = [
        alert(40, "handshake_failure"), alert(70, "protocol_version"), alert(71, "insufficient_security"),
        alert(80, "internal_error"), alert(86, "inappropriate_fallback"), alert(112, "unrecognized_name"),
        alert(116, "certificate_required"),
    ]

    private static func alert(_ number: UInt8, _ name: String) -> OriginSpecification {
        OriginSpecification(
            name: "alert\(number).lab.test", flaw: "Answers every ClientHello with the fatal alert \(name).",
            behaviour: .alert(number), outcomes: .always(.alert(number)))
    }

    /// Which tell that they miss a certificate within the handshake up to TLS 1.2, and behind it in TLS 1.3. Source: RFC
    /// 5246 section 7.4.6; RFC 8446 section 4.4.2.4.
    private static let insisting = [
        OriginSpecification(
            name: "client-cert.lab.test", flaw: "Turns down clients without a certificate, behind the handshake.",
            behaviour: .tls(Handshake(insistsOnCertificate: true)), outcomes: .always(.clientCertificate)),
        OriginSpecification(
            name: "client-cert12.lab.test", flaw: "Speaks TLS 1.2 and turns down clients without a certificate.",
            behaviour: .tls(Handshake(maximum: .tls12, insistsOnCertificate: true)),
            outcomes: .always(.clientCertificate)),
    ]

    /// Each hop is judged alone: this one passes, the next one does not. Source: nscurl; docs/law/loaders.md#redirects.
    private static let redirecting = OriginSpecification(
        name: "redirect.lab.test", flaw: "Its / redirects to a cleartext URL, which is refused as any other.",
        behaviour: .tls(Handshake()), redirect: "http://cleartext.lab.test/")
}
