#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The system's own error texts, starting in lower case so that they can follow a colon.
public enum SystemWords {
    /// Returns the text of an errno, for example `connection reset by peer`.
    public static func error(_ code: Int32) -> String { beginningSmall(String(cString: strerror(code))) }

    /// Returns the text of a getaddrinfo error, for example `name or service not known`.
    public static func resolver(_ code: Int32) -> String { beginningSmall(String(cString: gai_strerror(code))) }

    private static func beginningSmall(_ words: String) -> String {
        // A word with a second capital is a name: `I/O error`, `RPC failed`.
        guard let first = words.first, words.dropFirst().first?.isLowercase == true else { return words }
        return first.lowercased() + words.dropFirst()
    }
}
