public import ATSPolicy

/// One key that needs a justification in App Store review, with a draft answer. The drafts are ours: Apple publishes
/// none. Source: Apple, Preventing Insecure Network Connections; docs/law/keys.md#app-store-review.
public struct ReviewQuestion: Sendable {
    public let key: String
    let place: LintLocation
    /// Hosts of the entries that set the key; empty for a global key.
    public internal(set) var hosts: [String] = []
    /// The draft, in quotation marks. Claims that only the developer can check are in brackets.
    public let sample: String

    /// The keys of a dictionary that need a justification.
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
        let kept = entries.filter { $0.fault == nil }
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
        "The app opens addresses that users enter. We cannot know them in advance, so they cannot be listed as \
        exceptions. [CHECK: our own servers use TLS 1.2 or newer.]"
        """
    private static let sampleForMedia = """
        "The app plays media from PROVIDER through AVFoundation. [CHECK: the media is encrypted itself (FairPlay) \
        and contains no personal data.] The provider serves it without TLS."
        """
    private static let sampleForWeb = """
        "The app is a browser, or contains one: a web view shows pages that the user chooses. [CHECK: all other \
        loads of the app comply with ATS.]"
        """
    private static let sampleForHost = """
        "HOST is a device or server of PROVIDER that cannot offer TLS. [CHECK: content loaded from it is \
        public and is verified by OTHER MEANS.] We have requested https and expect it by DATE."
        """
    private static let sampleForTLS = """
        "HOST belongs to PROVIDER and does not support TLS 1.2 yet. The exception covers this host only and will be \
        removed by DATE."
        """
}

extension LintEntry {
    fileprivate var asksForOldTLS: Bool { (minimumTLS ?? .tls12) < .tls12 }
}
