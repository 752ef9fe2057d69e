import ATSPolicy

/// What stands beside the chain: transparency timestamps and stapled OCSP responses.
extension OriginSpecification {
    /// All other leaves have as many timestamps as they need. Source: Apple support 103214;
    /// docs/law/transparency.md#counting.
    static let transparency = [
        chain("scts.lab.test", .untransparent, "Three made-up transparency timestamps: they count, and do not verify.")
        {
            $0.timestamps = .madeUp(3)
        },
        chain("sct-none.lab.test", .untransparent, "The leaf has no transparency timestamp.") {
            $0.timestamps = .approved(0)
        },
        chain("sct-one.lab.test", .untransparent, "The leaf has one transparency timestamp, and needs two.") {
            $0.timestamps = .approved(1)
        },
        chain("sct-retired.lab.test", .untransparent, "Two transparency timestamps, both of logs retired since.") {
            $0.timestamps = .retired
        },
        chain("sct-forged.lab.test", .untransparent, "Transparency timestamps with forged signatures.") {
            $0.timestamps = .forged
        },
        chain("sct-tls.lab.test", .always(.allowed), "Nothing is wrong: two timestamps in the TLS extension.") {
            $0.timestamps = .approved(0)
            $0.handshakeTimestamps = 2
        },
        chain("sct-staple.lab.test", .always(.allowed), "Nothing is wrong: two timestamps in the stapled response.") {
            $0.timestamps = .approved(0)
            $0.staple = LeafPlan.StaplePlan(timestamps: 2)
        },
    ]

    /// Source: RFC 6960 sections 2.2 and 4.2.2.1; what a device makes of it is inferred.
    static let staples = [
        chain("staple-good.lab.test", .always(.allowed), "Nothing is wrong: a stapled OCSP response says good.") {
            $0.staple = LeafPlan.StaplePlan()
        },
        chain("staple-revoked.lab.test", .revoked, "The stapled OCSP response says that the leaf is revoked.") {
            $0.staple = LeafPlan.StaplePlan(status: .revoked(at: revocation, reason: 1))
        },
        chain(
            "staple-outdated.lab.test", .always(.allowed),
            "The stapled OCSP response says revoked, but is out of date, so it is not believed."
        ) { $0.staple = LeafPlan.StaplePlan(status: .revoked(at: revocation, reason: 1), validDays: -9..<(-2)) },
    ]

    /// 2026-01-01, whenever the lab is opened.
    private static let revocation: Int64 = 1_767_225_600
}
