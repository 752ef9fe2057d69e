/// Tells a finding from all others of a report, whatever its line.
enum LintFingerprint {
    /// FNV-1a in 64 bits, and which one of equals it is.
    static func text(of identity: String, _ occurrence: Int) -> String {
        let hash = identity.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits + ":\(occurrence)"
    }
}
