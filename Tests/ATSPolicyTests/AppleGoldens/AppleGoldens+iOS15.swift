import ATSPolicy

extension AppleGoldens {
    /// Like 14, without one line.
    static let ios15 = AppleGoldens(
        generation: .ios13to15, profile: "ios15",
        text: ios14.changed([
            ("\n  Connection 4: unable to determine interface type without an established connection", "")
        ]))
}
