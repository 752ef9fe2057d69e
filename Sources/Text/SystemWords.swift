#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The system's own words for its numbers, in small letters: they stand behind a colon, never alone.
public enum SystemWords {
    /// Of an errno, for example `connection reset by peer`.
    public static func error(_ code: Int32) -> String { beginningSmall(String(cString: strerror(code))) }

    /// Of what getaddrinfo gives back, for example `name or service not known`.
    public static func resolver(_ code: Int32) -> String { beginningSmall(String(cString: gai_strerror(code))) }

    private static func beginningSmall(_ words: String) -> String {
        // A second capital is that of a name: `I/O error`, `RPC failed`.
        guard let first = words.first, words.dropFirst().first?.isLowercase == true else { return words }
        return first.lowercased() + words.dropFirst()
    }
}
