/// Encodes signed certificate timestamps. Source: RFC 6962 sections 3.2 and 3.3.
enum TimestampList {
    /// Returns a SignedCertificateTimestamp of version 1 without extensions.
    static func timestamp(log: [UInt8], milliseconds: UInt64, signature: [UInt8]) -> [UInt8] {
        let version: [UInt8] = [0]
        let extensions: [UInt8] = [0, 0]
        // RFC 5246 section 7.4.1.4.1: SHA-256 with ECDSA.
        let algorithm: [UInt8] = [4, 3]
        return version + log + bigEndian(milliseconds, bytes: 8) + extensions + algorithm + sized(signature)
    }

    /// Returns the content of the TLS extension.
    static func tls(_ timestamps: [[UInt8]]) -> [UInt8] { sized(timestamps.flatMap { sized($0) }) }

    /// Returns the extension value for a certificate or an OCSP response: an OCTET STRING around the same list.
    static func der(_ timestamps: [[UInt8]]) -> [UInt8] { octetString(tls(timestamps)) }

    /// Returns the bytes after their count in two bytes.
    static func sized(_ bytes: [UInt8]) -> [UInt8] { bigEndian(UInt64(bytes.count), bytes: 2) + bytes }

    /// Returns the low bytes of a number, the highest first.
    static func bigEndian(_ number: UInt64, bytes: UInt64) -> [UInt8] {
        (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    /// Returns DER with a length field of one to three bytes. Source: X.690 section 8.1.3.
    private static func octetString(_ bytes: [UInt8]) -> [UInt8] {
        let tag: UInt8 = 0x04
        guard bytes.count >= 128 else { return [tag, UInt8(bytes.count)] + bytes }
        guard bytes.count >= 256 else { return [tag, 0x81, UInt8(bytes.count)] + bytes }
        return [tag, 0x82] + sized(bytes)
    }
}
