/// A digest that is the same in every process and version. An attacker can create collisions, so do not use it for
/// security.
public enum Fingerprint {
    /// FNV-1a with 64 bits: RFC 9923.
    public static func digest(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// The digest of a text as 16 hexadecimal digits.
    public static func text(_ identity: String) -> String { digest(identity.utf8).hexadecimal }
}
