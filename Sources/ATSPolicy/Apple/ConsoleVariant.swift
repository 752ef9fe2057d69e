/// A variant of the console's lines that was seen in addition to the usual one. Its cause is not visible in a device's
/// traffic, so it is shown only on request: `--reading console-variants`. Source: docs/console-lines.md#variants.
public enum ConsoleVariant: String, Sendable, Hashable, CaseIterable {
    /// 11 to 15, an app on NSURLConnection: one line instead of those about a task. Source: public logs of -1202 on 11
    /// to 15 and of -1022 on 11 and 12.1 (observed); -1022 on 13 to 15 (inferred).
    case connection = "nsurlconnection"
    /// 15: *strict* instead of *system* in the trust line, and no `ATS failed system trust` before it. Source: Apple
    /// developer forums, thread 703283 (observed once).
    case strictTrust = "strict-trust"
    /// 13 and later: additional lines of the unified log when ATS blocks a load. Source: FlatFold's notes on pinning
    /// (26), GitHub, VelaTerm issue 77 (27), blacktop/ipsw-diffs, 26.5 to 27.0 (observed once); 13 to 18 inferred.
    case unifiedLog = "unified-log"
    /// 9, a web view: the error itself, as printed by an app that logs it; the underlying error has the full
    /// description. Source: GitHub, bowser issue 54 (observed once).
    case webView = "web-view"

    /// True if the variant replaces the usual lines; the others add lines.
    var isAlternative: Bool {
        switch self {
        case .connection, .strictTrust: true
        case .unifiedLog, .webView: false
        }
    }

    /// True if a release has the variant.
    func isKnown(on release: OSVersion) -> Bool {
        switch self {
        case .connection: 11...15 ~= release.major
        case .strictTrust: release.major == 15
        case .unifiedLog: release.major >= 13
        case .webView: release.major == 9
        }
    }
}
