import ATSPolicy

/// A cause of one of Apple's error codes, with the number of public reports of it.
public struct NumberCause: Sendable, Hashable {
    /// The cause, as a noun with its article.
    public let what: String
    /// The rule that the cause breaks.
    let rule: RuleID
    /// The reports of real devices in `docs/agreement.md` that show the code for this cause.
    public let reports: Int
    public let fix: String

    /// The causes of -9802, the most frequent first. Source: the reports in docs/agreement.md; that app code cannot accept a
    /// self-signed certificate: alamofire-2402, genaryx and discokit-name there (observed).
    public static let fatalAlert = [
        NumberCause(
            what: "a self-signed certificate", rule: .selfSigned, reports: 8,
            fix: "Use a certificate of a CA that devices trust. App code cannot accept it while ATS is on for the host."
        ),
        NumberCause(
            what: "a certificate of a CA that the device does not trust, such as an intercepting proxy's",
            rule: .untrustedRoot, reports: 4,
            fix: "Install the CA and switch on full trust for it, in each simulator as well."),
        NumberCause(
            what: "a key or CA that differs from the pins in the dictionary (NSPinnedDomains)", rule: .pinnedIdentity,
            reports: 2,
            fix: "Add the new key to the pins before the server uses it."),
        NumberCause(
            what: "a SHA-1 signature in the chain", rule: .signatureHash, reports: 2,
            fix: "Replace the certificate by one with a SHA-256 signature."),
        NumberCause(
            what: "an expired certificate in the chain", rule: .expired, reports: 1,
            fix: "Renew it, or serve a chain to a newer root."),
    ]
}
