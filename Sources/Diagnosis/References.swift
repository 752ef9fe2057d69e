import CBuild

/// References to the pages of `docs`, for people who have the program alone.
public enum References {
    /// Where the pages of this very version stand, as in `https://HOST/OWNER/NAME/blob/v0.1.0`; empty where it was not
    /// built for a release. Set by `PAGES` when the program is built (`.github/workflows/release.yml`).
    public static let address = String(cString: cbuild_pages())

    /// The text with each path of a page of docs in it as an address where there is one, and as the command that prints
    /// the page where there is not.
    ///
    /// - Parameter address: without `docs` and without a slash at its end; empty for none.
    public static func shown(_ text: String, at address: String = address) -> String {
        guard text.contains("docs/") else { return text }
        return text.replacing(/docs\/([a-z\/-]+)\.md(#[a-z0-9-]+)?/) { match in
            let topic = match.output.2 ?? ""
            return address.isEmpty
                ? "atsgate explain \(match.output.1)\(topic)" : "\(address)/docs/\(match.output.1).md\(topic)"
        }
    }
}
