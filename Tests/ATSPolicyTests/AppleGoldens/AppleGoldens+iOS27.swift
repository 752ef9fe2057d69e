import ATSPolicy

extension AppleGoldens {
    /// Errors and lines of 27 are those of 26: no error text changed, and the lines have the same shape. Source:
    /// blacktop/ipsw-diffs, 26.5 to 27.0, CFNetwork; docs/console-lines.md.
    static let ios27 = AppleGoldens(generation: .ios27, profile: "ios27", text: ios26.text)
}
