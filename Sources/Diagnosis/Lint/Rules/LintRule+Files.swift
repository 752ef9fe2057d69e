public import ATSPolicy

/// Findings on a file as such. The reader of the file makes them, so the checks here are empty.
extension LintRule {
    /// Reported like any other finding, so that one file does not hide the findings of the rest.
    static let unreadable = LintRule(
        "lint.unreadable", .error, title: "The file cannot be read as an ATS dictionary",
        source: "Apple, CFPropertyList.c; docs/lint.md#files", .documented,
        example: LintExample(found: "<plist><dict>", silent: "<plist><dict/></plist>"), check: { _ in [] })

    /// A lint comment without effect, or without a reason.
    static let disableComment = LintRule(
        "lint.disable-comment", .warning, title: "A lint comment has no effect or gives no reason",
        source: "Apple, NSAppTransportSecurity; docs/lint.md#comments", .documented,
        example: LintExample(
            found: "<!-- atsgate:disable lint.no-such-rule because -->",
            silent: "<!-- atsgate:disable lint.unknown-key read by our own code -->"), check: { _ in [] })
}

extension LintedFile {
    /// A file that could not be read.
    public init(unreadable error: DeclarationError) {
        let place = LintLocation(keyPath: error.keyPath ?? "", line: error.line)
        let words = [error.keyPath, error.what].compactMap(\.self).joined(separator: ": ")
        self.init(
            path: error.source, bundle: nil, bundleID: nil, systems: "",
            findings: [LintFinding(LintMark(place, words), by: .unreadable)])
    }
}
