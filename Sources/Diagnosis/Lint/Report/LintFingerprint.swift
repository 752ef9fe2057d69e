import Text

/// Tells a finding from all others of a report, whatever its line.
enum LintFingerprint {
    /// Of what it is about, and which one of equals it is.
    static func text(of identity: String, _ occurrence: Int) -> String {
        "\(Fingerprint.text(identity)):\(occurrence)"
    }
}
