import ArgumentParser
import Records
import Text

/// Names to mask in exports.
struct MaskingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Replace hosts (api.example.com, *.example.com, *) or parts of paths (/users/*) with tokens. Repeatable.
            """, valueName: "pattern", visibility: .seldom))
    var mask: [MaskPattern] = []

    @Flag(
        help: ArgumentHelp(
            "Replace all names with tokens, for sharing.",
            discussion: """
                Outside your organisation: hosts, paths, addresses, names in certificates, labels, files, bundles and \
                recordings.
                """))
    var redact = false

    /// The mask for names; nil if none is requested.
    ///
    /// - Parameter storePath: the store whose key is used if it has one, so that patterns give the same tokens.
    /// - Throws: ``CommandFailure`` with 65.
    func names(beside storePath: String) throws(CommandFailure) -> NameMask? {
        if redact { return .everything(key: KeyedHash()) }
        guard !mask.isEmpty else { return nil }
        return NameMask(mask, key: try MaskFile.key(beside: storePath) ?? KeyedHash())
    }
}
