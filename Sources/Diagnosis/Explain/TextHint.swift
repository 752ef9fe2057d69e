/// Words in a pasted text that name a cause which its code does not.
public struct TextHint: Sendable, Hashable {
    /// The cause and the place to look at, as sentences.
    public let words: String
    /// The topic that explains more.
    public let topic: String
    /// Codes whose usual explanation is wrong for such a text.
    public let replaced: Set<Int>

    /// The hints for a text, each once.
    public static func all(in text: String) -> [TextHint] {
        let text = text.lowercased()
        return table.filter { phrase, _ in text.contains(phrase) }.map(\.hint)
    }

    /// Source: Apple, TN3179 and TN3135 (documented); the lines: docs/questions/is-it-ats.md (observed).
    private static let table: [(phrase: String, hint: TextHint)] = [
        (
            "local network prohibited",
            TextHint(
                words: "Not ATS: the app has no permission for the local network. Allow it in Settings, Privacy & "
                    + "Security, Local Network. The system asks only if the Info.plist has "
                    + "NSLocalNetworkUsageDescription.",
                topic: "questions/is-it-ats#local-network-permission", replaced: [-1009, 50])
        ),
        (
            "denied by necp policy",
            TextHint(
                words: "Not ATS: a policy of the system denied the connection. watchOS allows sockets and WebSockets "
                    + "only for calls and streaming audio.", topic: "questions/is-it-ats#by-the-code", replaced: [])
        ),
    ]
}
