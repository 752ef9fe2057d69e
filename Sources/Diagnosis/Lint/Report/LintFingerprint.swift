import Text

/// Identifies a finding within a report, independent of its line.
enum LintFingerprint {
    /// Hashes the identity of a finding and appends its number among equal ones.
    static func text(of identity: String, _ occurrence: Int) -> String {
        "\(Fingerprint.text(identity)):\(occurrence)"
    }
}
