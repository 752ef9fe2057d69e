import ATSPolicy

/// Keys that the App Store asks a justification for. Source: Apple, Preventing Insecure Network Connections;
/// docs/law/keys.md#app-store-review. The wording is ours: a frame to fill in, nothing
/// that Apple has published.
extension LintRule {
    static let justifyArbitraryLoads = review(
        "lint.justify-arbitrary-loads", key: ATSKey.arbitraryLoads,
        wording: """
            "The app opens addresses that its users enter and that we cannot know in advance, so they cannot be listed \
            as exceptions; our own servers use TLS 1.2 or newer."
            """)

    static let justifyMedia = review(
        "lint.justify-media-loads", key: ATSKey.forMedia,
        wording: """
            "The app plays media of PROVIDER through AVFoundation, which is encrypted by itself (FairPlay) and holds \
            no personal data; the provider serves it without TLS."
            """)

    static let justifyWebContent = review(
        "lint.justify-web-content-loads", key: ATSKey.inWebContent,
        wording: """
            "The app shows web pages of the user's choice in a web view; all loads of the app itself keep to ATS."
            """)

    /// Only where it is true: false is the default.
    static let justifyInsecureLoads = review(
        "lint.justify-insecure-loads", entryKey: ATSKey.insecureHTTP,
        wording: """
            "HOST is a device or a server of PROVIDER that cannot offer TLS; what is loaded from it is public, and is \
            checked by OTHER MEANS. We have asked for https and expect it by DATE."
            """
    ) { $0.allowsInsecure }

    /// Only below 1.2.
    static let justifyMinimumTLS = review(
        "lint.justify-minimum-tls", entryKey: ATSKey.minimumTLS,
        wording: """
            "HOST belongs to PROVIDER and does not speak TLS 1.2 yet; the exception is for this host alone and ends \
            when it does, by DATE."
            """
    ) { ($0.minimumTLS ?? .tls12) < .tls12 }

    private static func review(_ id: String, key: String, wording: String) -> LintRule {
        LintRule(
            id, .note, title: "The App Store asks for a justification of \(key)", source: source, .documented,
            example: LintExample(found: #"{"\#(key)": true}"#, silent: #"{"NSAllowsLocalNetworking": true}"#)
        ) { subject in
            guard subject.flag(key) == true, let member = subject.globals.last(key) else { return [] }
            return [LintMark(subject.place(of: member), sentence(key, wording))]
        }
    }

    private static func review(
        _ id: String, entryKey key: String, wording: String, applies: @escaping @Sendable (LintEntry) -> Bool
    ) -> LintRule {
        func example(_ value: String) -> String {
            #"{"NSExceptionDomains": {"a.example.com": {"\#(key)": \#(value)}}}"#
        }
        let isFlag = ATSKey.exceptionBooleans.contains(key)
        return LintRule(
            id, .note, title: "The App Store asks for a justification of \(key)", source: source, .documented,
            example: LintExample(
                found: example(isFlag ? "true" : #""TLSv1.1""#), silent: example(isFlag ? "false" : #""TLSv1.2""#))
        ) { subject in
            subject.entries.filter(applies).map { entry in
                LintMark(entry.place(of: key), sentence(key, wording.replacing("HOST", with: entry.key)))
            }
        }
    }

    private static func sentence(_ key: String, _ wording: String) -> String {
        "the App Store asks for a justification of \(key), for example: \(wording)"
    }

    private static let source = "Apple, Preventing Insecure Network Connections; docs/law/keys.md#app-store-review"
}
