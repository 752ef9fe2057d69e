/// The endings of domain names that separate hosts from other text.
enum DomainEndings {
    static func isKnown(_ ending: some StringProtocol) -> Bool {
        RootZone.endings.contains(String(ending)) || localEndings.contains(String(ending))
    }

    /// True if two labels with this ending are a host, even without a scheme.
    static func isClear(_ ending: some StringProtocol) -> Bool { clear.contains(String(ending)) }

    /// True if the ending also ends names of files, or of a property in code.
    static func isAlsoFileType(_ ending: some StringProtocol) -> Bool { fileTypes.contains(String(ending)) }

    /// True for the first label of a bundle's name, which is a domain in reverse order.
    static func beginsBundleName(_ label: some StringProtocol) -> Bool {
        clear.contains(String(label)) || ["app", "co", "me", "edu", "gov"].contains(String(label))
            || (label.count == 2 && isKnown(label)
                && !["ws", "cf", "tv", "id"].contains(String(label)))
    }

    /// The endings at which a host in adjacent strings is cut: with others, too many words would be hosts.
    static let ofCuts = clear.union(["ai", "app", "co"])

    private static let clear: Set = ["com", "net", "org", "io", "dev", "cloud"]

    /// Endings of local networks and of tests. Source: RFC 6761, RFC 6762, RFC 8375, ICANN's reservation of `internal`; the
    /// others are usual.
    private static let localEndings: Set = [
        "arpa", "corp", "example", "home", "internal", "invalid", "lan", "local", "localdomain", "localhost", "test",
    ]

    private static let fileTypes: Set = [
        "ac", "ai", "am", "app", "art", "as", "at", "be", "build", "cat", "cc", "cd", "ci", "click", "co", "de",
        "design",
        "do", "email", "events", "exchange", "fm", "games", "global", "gov", "group", "gs", "gz", "help", "host", "id",
        "im", "in", "info", "int", "internal", "invalid", "is", "it", "js", "la", "life", "link", "live", "local", "ma",
        "md",
        "me", "media", "menu", "ml", "mm", "mo", "ms", "my", "na", "name", "network", "news", "no", "one", "page", "pa",
        "photos", "pl", "plus", "pm", "press", "pro", "ps", "pt", "py", "re", "rs", "run", "sc", "services", "sh",
        "site",
        "so", "space", "sql", "st", "store", "support", "td", "test", "tf", "th", "to", "tools", "top", "tr", "tt",
        "us",
        "video", "vi", "work", "world", "zip", "zone",
    ]
}
