import ATSPolicy

extension LintRule {
    /// The system requires certificate transparency itself.
    static let obsoleteTransparency = LintRule(
        "lint.certificate-transparency-obsolete", .warning,
        title: "NSRequiresCertificateTransparency is obsolete and has no effect",
        source: "Security, SecProtocolConfiguration.m; docs/law/transparency.md#entry-key", .source,
        example: LintExample(
            found: #"{"NSExceptionDomains": {"a.example.com": {"NSRequiresCertificateTransparency": true}}}"#,
            silent: #"{"NSExceptionDomains": {"a.example.com": {"NSExceptionMinimumTLSVersion": "TLSv1.3"}}}"#)
    ) { subject in
        guard !subject.systems.newest.keys.contains(.certificateTransparency) else { return [] }
        return subject.entries.compactMap { entry in
            entry.values?.last(ATSKey.certificateTransparency).map {
                LintMark(
                    entry.place(of: $0),
                    "\($0.key) is obsolete: the system requires transparency itself and ignores this key")
            }
        }
    }

    /// Source of the values: docs/law/niap.md#keys.
    static let niapValue = LintRule(
        "lint.niap-value", .error, title: "An unknown NIAP package version",
        source: "Apple, NSRequiresNIAPTLSPackageVersion; docs/law/niap.md#keys", .documented,
        example: LintExample(
            found: #"{"NSRequiresNIAPTLSPackageVersion": "FCP_v2"}"#,
            silent: #"{"NSRequiresNIAPTLSPackageVersion": "FCP_v2.1"}"#)
    ) { subject in
        subject.niapKeys.compactMap { member, place in
            if case .string(let text) = member.node.value, niapValues.contains(text) || text.isUnresolved { return nil }
            let known = niapValues.joined(separator: ", ")
            return LintMark(place, "\(member.key) is \(member.node.value.summary), not one of \(known)")
        }
    }

    /// Releases before 26.4 ignore the keys.
    static let niapTooOld = LintRule(
        "lint.niap-too-old", .note, title: "NIAP keys have no effect before 26.4",
        source: "Apple, NSRequiresNIAPTLSPackageVersion; docs/law/niap.md#keys", .documented,
        example: LintExample(
            found: #"{"NSRequiresNIAPTLSPackageVersion": "recommended"}"#,
            silent: #"{"NSAllowsLocalNetworking": true}"#, systems: "ios18..")
    ) { subject in
        // Without a known deployment target, every app would get this note.
        guard !subject.systems.isAssumed, subject.systems.lacks(.niap) else { return [] }
        return subject.niapKeys.map { LintMark($1, "\($0.key) has no effect before iOS 26.4 and macOS 26.4") }
    }

    private static let niapValues = ["none", "FCP_v2.1", "recommended"]
}

extension LintSubject {
    /// The NIAP keys at every place where they have an effect.
    fileprivate var niapKeys: [(member: PropertyMember, place: LintLocation)] {
        var found = globals.filter { $0.key == ATSKey.niapVersion }.map { ($0, place(of: $0)) }
        for entry in entries {
            found += (entry.values ?? []).filter { $0.key == ATSKey.exceptionNIAPVersion }
                .map { ($0, entry.place(of: $0)) }
        }
        return found
    }
}
