import ATSPolicy

extension LintRule {
    /// The text must be exact.
    static let minimumTLSText = LintRule(
        "lint.minimum-tls-text", .error, title: "NSExceptionMinimumTLSVersion is not a known version",
        source: "Security, SecProtocolConfiguration.m; docs/law/keys.md#types-of-values", .source,
        example: LintExample(
            found: #"{"NSExceptionDomains": {"a.example.com": {"NSExceptionMinimumTLSVersion": "1.2"}}}"#,
            silent: #"{"NSExceptionDomains": {"a.example.com": {"NSExceptionMinimumTLSVersion": "TLSv1.2"}}}"#)
    ) { subject in
        subject.minimums(inOldSpellings: subject.systems.knows(.legacySpellings)).compactMap { entry, member in
            guard case .string(let text) = member.node.value else {
                return LintMark(
                    entry.place(of: member),
                    "\(member.key) must be a string, but it is \(member.node.value.summary): the minimum stays TLSv1.2",
                    appleLog: "App Transport Security value for key \(member.key) must be a string")
            }
            guard TLSVersion(declared: text) == nil, !text.isUnresolved else { return nil }
            if ["DTLSv1.0", "DTLSv1.2"].contains(text) {
                return LintMark(
                    entry.place(of: member),
                    "\(member.key) names a DTLS version; its effect over TCP is not known", severity: .warning)
            }
            return LintMark(
                entry.place(of: member),
                "\(member.key) is \"\(text)\", not one of TLSv1.0 to TLSv1.3: it is ignored, the minimum stays TLSv1.2")
        }
    }

    /// From 26 on, 1.2 is the minimum of an app linked with the SDK of 26 or later.
    static let voidMinimumTLS = LintRule(
        "lint.minimum-tls-void", .warning, title: "An exception for TLS 1.0 or 1.1 has no effect on 26 and later",
        source: "OWASP MASTG, BEST-0042; docs/law/tls.md#system-floor", .documented,
        example: LintExample(
            found: #"{"NSExceptionDomains": {"a.example.com": {"NSExceptionMinimumTLSVersion": "TLSv1.0"}}}"#,
            silent: #"{"NSExceptionDomains": {"a.example.com": {"NSExceptionMinimumTLSVersion": "TLSv1.2"}}}"#)
    ) { subject in
        guard subject.systems.newest.tlsFloor >= .tls12,
            subject.declaration.linkedSDK?.isBefore(OSVersion(26)) != true
        else { return [] }
        // If no release honours it, the file does not have the effect that it states.
        let severity: Severity = subject.systems.oldest.tlsFloor < .tls12 ? .warning : .error
        return subject.minimums(inOldSpellings: false).compactMap { entry, member in
            guard let version = entry.minimumTLS, version < .tls12 else { return nil }
            return LintMark(
                entry.place(of: member),
                "\(member.key) \(version.declarationName) has no effect from iOS 26 and macOS 26 on in an app linked with"
                    + " their SDK: TLS 1.2 is its minimum, even with ATS off", severity: severity)
        }
    }

    /// An early system fails each load of such an entry. Source: outputs of nscurl on macOS 10.13 and 10.14 (Apple forums
    /// 96765; OWASP/mastg 1121). rdar 50887327 has the same for iOS 12.3 and macOS 10.14.5, against Apple's page on TLS 1.3;
    /// docs/law/tls.md#versions.
    static let earlyTLS13 = LintRule(
        "lint.minimum-tls-early", .warning,
        title: "With a minimum of TLSv1.3, loads fail before iOS 12.2 and macOS 10.14.4",
        source: "OWASP/mastg 1121; Apple forums 96765; docs/law/tls.md#versions", .observed,
        example: LintExample(
            found: #"{"NSExceptionDomains": {"a.example.com": {"NSExceptionMinimumTLSVersion": "TLSv1.3"}}}"#,
            silent: #"{"NSExceptionDomains": {"a.example.com": {"NSExceptionMinimumTLSVersion": "TLSv1.2"}}}"#,
            systems: "ios12..")
    ) { subject in
        let isOld = subject.systems.has { $0.newestTLS < .tls13 }
        guard !subject.systems.isAssumed, isOld || subject.systems.has({ $0.release.generation < OSVersion(13) }) else {
            return []
        }
        return subject.minimums(inOldSpellings: subject.systems.knows(.legacySpellings)).compactMap { entry, member in
            guard case .string(let text) = member.node.value, TLSVersion(declared: text) == .tls13 else { return nil }
            return LintMark(
                entry.place(of: member),
                isOld
                    ? "with \(member.key) TLSv1.3, each load of \(entry.key) fails with -9800 before iOS 12.2 and macOS "
                        + "10.14.4, which do not offer TLS 1.3"
                    : "with \(member.key) TLSv1.3, each load of \(entry.key) may fail before iOS 13 and macOS 10.15: one "
                        + "report has this for iOS 12.3 and macOS 10.14.5",
                severity: isOld ? nil : .note)
        }
    }
}

extension LintSubject {
    /// The lowest version of every entry that has one.
    ///
    /// - Parameter inOldSpellings: true to include keys in old spellings, if no current one overrides them.
    fileprivate func minimums(inOldSpellings: Bool) -> [(entry: LintEntry, member: PropertyMember)] {
        entries.compactMap { entry in
            guard let values = entry.values else { return nil }
            if let member = values.last(ATSKey.minimumTLS) { return (entry, member) }
            guard inOldSpellings else { return nil }
            return values.last { ATSKey.current(forLegacy: $0.key) == ATSKey.minimumTLS }.map { (entry, $0) }
        }
    }
}

extension TLSVersion {
    /// Reads the value of NSExceptionMinimumTLSVersion; nil for a text that is ignored.
    init?(declared text: String) {
        guard let version = Self.allCases.first(where: { $0.declarationName == text }) else { return nil }
        self = version
    }
}
