public import ATSPolicy

/// Findings on a file as such. They are made where it is read, so nothing is checked here.
extension LintRule {
    /// Reported like any other finding, so that one file does not silence the rest.
    static let unreadable = LintRule(
        "lint.unreadable", .error, title: "The file can not be read as a declaration",
        source: "Apple, CFPropertyList.c; docs/lint.md#files", .documented,
        example: LintExample(found: "<plist><dict>", silent: "<plist><dict/></plist>"), check: { _ in [] })

    /// A comment that is meant for lint and does nothing, or hides without a reason.
    static let disableComment = LintRule(
        "lint.disable-comment", .warning, title: "A comment for lint that does nothing",
        source: "Apple, NSAppTransportSecurity; docs/lint.md#comments", .documented,
        example: LintExample(
            found: "<!-- atsgate:disable lint.no-such-rule because -->",
            silent: "<!-- atsgate:disable lint.unknown-key read by our own code -->"), check: { _ in [] })
}

extension LintedFile {
    /// A file that could not be read.
    public init(unreadable error: DeclarationError) {
        let place = LintPlace(keyPath: error.keyPath ?? "", line: error.line)
        let words = [error.keyPath, error.what].compactMap(\.self).joined(separator: ": ")
        self.init(
            path: error.source, bundle: nil, bundleID: nil, systems: "",
            findings: [LintFinding(LintMark(place, words), by: .unreadable)])
    }
}
