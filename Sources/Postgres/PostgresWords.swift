internal import Text

/// Makes messages of libpq and servers safe to show.
enum PostgresWords {
    /// Returns one printable line of at most 500 characters, without secrets: a server may repeat what it received.
    static func line(_ text: String, without secrets: [String]) -> String {
        var text = text
        for secret in secrets where !secret.isEmpty { text = text.replacing(secret, with: "...") }
        let line = text.split { $0.isNewline }
            .map { $0.split { $0 == " " || $0 == "\t" }.joined(separator: " ") }
            .filter { !$0.isEmpty }
            .joined(separator: " ")
            .printable
        return line.count > limit ? line.prefix(limit) + "..." : line
    }

    private static let limit = 500
}
