import ArgumentParser
import Records
import Text

/// What of what was recorded is not to be told.
struct MaskingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Replace hosts (api.example.com, *.example.com, *) or parts of paths (/users/*) with tokens. Repeatable.
            """, valueName: "pattern"))
    var mask: [MaskPattern] = []

    @Flag(
        help: """
            For people outside: replace every host and path, addresses, names in certificates, labels, files, \
            bundles and recordings with tokens.
            """)
    var redact = false

    /// What masks names; nil where nothing is asked.
    ///
    /// - Parameter storePath: whose tokens are used, where it has some, so that patterns give the same ones.
    /// - Throws: ``CommandFailure`` with 65.
    func names(beside storePath: String) throws(CommandFailure) -> NameMask? {
        if redact { return .everything(key: KeyedHash()) }
        guard !mask.isEmpty else { return nil }
        return NameMask(mask, key: try MaskFile.key(beside: storePath) ?? KeyedHash())
    }
}
