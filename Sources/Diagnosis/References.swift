import CBuild

/// References to the pages of `docs`, for users who have only the program.
public enum References {
    /// Address of the pages of this version, such as `https://HOST/OWNER/NAME/blob/v0.1.0`; empty if it was not built
    /// for a release. Set by `PAGES` when the program is built (`.github/workflows/release.yml`).
    public static let address = String(cString: cbuild_pages())

    /// Replaces each path of a docs page in the text: with the page's address if `address` is not empty, else with the
    /// command that prints the page.
    ///
    /// - Parameter address: without `docs` and without a trailing slash; empty for none.
    public static func shown(_ text: String, at address: String = address) -> String {
        guard text.contains("docs/") else { return text }
        return text.replacing(/docs\/([a-z\/-]+)\.md(#[a-z0-9-]+)?/) { match in
            let topic = match.output.2 ?? ""
            return address.isEmpty
                ? "atsgate explain \(match.output.1)\(topic)" : "\(address)/docs/\(match.output.1).md\(topic)"
        }
    }
}
