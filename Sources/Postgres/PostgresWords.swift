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

    /// The `sslmode` that makes a connection possible; empty if the message has another reason. Source of the messages:
    /// PostgreSQL 15, src/interfaces/libpq/fe-connect.c (PQconnectPoll) and src/backend/libpq/auth.c
    /// (ClientAuthentication).
    ///
    /// - Parameter mode: the mode in use.
    static func advice(on message: String, mode: String) -> String {
        if message.contains("server does not support SSL") {
            return
                "; sslmode is \(mode): a server without TLS, for a trial on this machine, needs sslmode=disable, as in "
                + "postgres://USER@HOST/DATABASE?sslmode=disable"
        }
        if message.contains("no pg_hba.conf entry"), message.contains("no encryption"), mode == "disable" {
            return "; the server may accept only TLS: use sslmode=verify-full, the default, not sslmode=disable"
        }
        return ""
    }

    private static let limit = 500
}
