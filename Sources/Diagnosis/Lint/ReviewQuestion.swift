public import ATSPolicy

/// One key that the App Store asks a reason for, with a frame for the answer. The frames are ours: Apple publishes none.
/// Source: Apple, Preventing Insecure Network Connections; docs/law/keys.md#app-store-review.
public struct ReviewQuestion: Sendable {
    public let key: String
    let place: LintPlace
    /// Of entries; empty for a global key.
    public internal(set) var hosts: [String] = []
    /// In quotation marks, to be filled in.
    public let sample: String

    /// What a declaration will be asked.
    public static func all(about declaration: Declaration) -> [ReviewQuestion] {
        LintSubject(declaration, systems: SystemRange(of: declaration, deployment: nil)).questions
    }
}

extension LintSubject {
    var questions: [ReviewQuestion] {
        let general = [
            (ATSKey.arbitraryLoads, Self.sampleForAll), (ATSKey.forMedia, Self.sampleForMedia),
            (ATSKey.inWebContent, Self.sampleForWeb),
        ].compactMap { key, sample -> ReviewQuestion? in
            guard flag(key) == true, key != ATSKey.arbitraryLoads || isOffByDefault, let member = globals.last(key)
            else { return nil }
            return ReviewQuestion(key: key, place: place(of: member), sample: sample)
        }
        let deleted = Set((needlessLocals + freedAlready).map(\.key))
        let kept = entries.filter { $0.fault == nil && !deleted.contains($0.key) }
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
    private static let sampleForWeb = """
        "The app is a browser, or has one: it shows web pages of the user's choice in a web view; all loads of the app \
        itself keep to ATS."
        """
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
