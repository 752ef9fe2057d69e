import ATSPolicy

extension LintRule {
    /// Keys that the App Store asks a justification for: one note for a file. What another finding says to delete is
    /// not asked about. The sample texts are ours: frames to fill in, nothing that Apple has published.
    static let justification = LintRule(
        "lint.justification", .note, title: "The App Store asks for a justification of what is allowed",
        source: "Apple, Preventing Insecure Network Connections; docs/law/keys.md#app-store-review", .documented,
        example: LintExample(
            found: #"{"NSAllowsArbitraryLoads": true}"#, silent: #"{"NSAllowsLocalNetworking": true}"#)
    ) { subject in
        let questions = subject.questions
        guard let first = questions.first else { return [] }
        let asked = questions.map { $0.hosts.isEmpty ? $0.key : "\($0.key) for \($0.hosts.listed)" }
        let samples = subject.showsJustifications ? questions.map { "; for \($0.key), for example: \($0.sample)" } : []
        return [
            LintMark(
                first.place, "the App Store asks why: \(asked.joined(separator: "; "))" + samples.joined())
        ]
    }
}

/// One key that has to be justified.
private struct ReviewQuestion {
    let key: String
    let place: LintPlace
    /// Of entries; empty for a global key.
    var hosts: [String] = []
    let sample: String
}

extension LintSubject {
    fileprivate var questions: [ReviewQuestion] {
        let general = [
            (ATSKey.arbitraryLoads, Self.sampleForAll), (ATSKey.forMedia, Self.sampleForMedia),
            (ATSKey.inWebContent, Self.sampleForWeb),
        ].compactMap { key, sample -> ReviewQuestion? in
            guard flag(key) == true, key != ATSKey.arbitraryLoads || isOffByDefault, let member = globals.last(key)
            else { return nil }
            return ReviewQuestion(key: key, place: place(of: member), sample: sample)
        }
        let deleted = Set((needlessLocals + freedAlready).map(\.key))
        let kept = entries.filter { KeyFault($0.key) == nil && !deleted.contains($0.key) }
        return general
            + [
                question(ATSKey.insecureHTTP, kept.filter(\.allowsInsecure), Self.sampleForHost),
                question(
                    ATSKey.minimumTLS, systems.newest.tlsFloor >= .tls12 ? [] : kept.filter(\.asksForOldTLS),
                    Self.sampleForTLS),
            ].compactMap(\.self)
    }

    private func question(_ key: String, _ entries: [LintEntry], _ sample: String) -> ReviewQuestion? {
        entries.first.map {
            ReviewQuestion(key: key, place: $0.place(of: key), hosts: entries.map(\.key), sample: sample)
        }
    }

    private static let sampleForAll = """
        "The app opens addresses that its users enter and that we cannot know in advance, so they cannot be listed as \
        exceptions; our own servers use TLS 1.2 or newer."
        """
    private static let sampleForMedia = """
        "The app plays media of PROVIDER through AVFoundation, which is encrypted by itself (FairPlay) and holds no \
        personal data; the provider serves it without TLS."
        """
    private static let sampleForWeb =
        "\"The app shows web pages of the user's choice in a web view; all loads of the app itself keep to ATS.\""
    private static let sampleForHost = """
        "HOST is a device or a server of PROVIDER that cannot offer TLS; what is loaded from it is public, and is \
        checked by OTHER MEANS. We have asked for https and expect it by DATE."
        """
    private static let sampleForTLS = """
        "HOST belongs to PROVIDER and does not speak TLS 1.2 yet; the exception is for this host alone and ends when \
        it does, by DATE."
        """
}

extension LintEntry {
    fileprivate var asksForOldTLS: Bool { (minimumTLS ?? .tls12) < .tls12 }
}
