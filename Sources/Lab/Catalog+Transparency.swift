import ATSPolicy

/// Origins with unusual transparency timestamps or stapled OCSP responses.
extension OriginSpecification {
    /// The leaves of all other origins have enough timestamps. Source: Apple support 103214;
    /// docs/law/transparency.md#counting.
    static let transparency = [
        chain("scts.lab.test", .untransparent, "Three fake transparency timestamps, which count but do not verify.") {
            $0.timestamps = .madeUp(3)
        },
        chain("sct-none.lab.test", .untransparent, "The leaf has no transparency timestamp.") {
            $0.timestamps = .approved(0)
        },
        chain("sct-one.lab.test", .untransparent, "The leaf has one transparency timestamp but needs two.") {
            $0.timestamps = .approved(1)
        },
        chain("sct-retired.lab.test", .untransparent, "Two transparency timestamps, both from retired logs.") {
            $0.timestamps = .retired
        },
        chain("sct-forged.lab.test", .untransparent, "Transparency timestamps with forged signatures.") {
            $0.timestamps = .forged
        },
        chain("sct-tls.lab.test", .always(.allowed), "No flaw: two timestamps in the TLS extension.") {
            $0.timestamps = .approved(0)
            $0.handshakeTimestamps = 2
        },
        chain("sct-staple.lab.test", .always(.allowed), "No flaw: two timestamps in the stapled response.") {
            $0.timestamps = .approved(0)
            $0.staple = LeafPlan.StaplePlan(timestamps: 2)
        },
    ]

    /// Source: RFC 6960 sections 2.2 and 4.2.2.1; the reaction of a device is inferred.
    static let staples = [
        chain("staple-good.lab.test", .always(.allowed), "No flaw: the stapled OCSP response is good.") {
            $0.staple = LeafPlan.StaplePlan()
        },
        chain("staple-revoked.lab.test", .revoked, "The stapled OCSP response reports that the leaf is revoked.") {
            $0.staple = LeafPlan.StaplePlan(status: .revoked(at: revocation, reason: 1))
        },
        chain(
            "staple-outdated.lab.test", .always(.allowed),
            "The stapled OCSP response reports a revocation but is outdated, so it is ignored."
        ) { $0.staple = LeafPlan.StaplePlan(status: .revoked(at: revocation, reason: 1), validDays: -9..<(-2)) },
    ]

    /// 2026-01-01, whenever the lab runs.
    private static let revocation: Int64 = 1_767_225_600
}
