extension CertificateRecipe {
    /// Value of the extension that embeds ``madeUpTimestamps``: an OCTET STRING around a list in the syntax of TLS.
    /// Source: RFC 6962 section 3.3.
    var timestampExtension: [UInt8] {
        let count = min(max(0, madeUpTimestamps), Self.mostTimestamps)
        let list = (0..<count).flatMap { Self.sized(timestamp(of: UInt8($0))) }
        return Self.octetString(Self.sized(list))
    }

    /// A well-formed SignedCertificateTimestamp with a signature that proves nothing. Source: RFC 6962 section 3.2.
    private func timestamp(of log: UInt8) -> [UInt8] {
        let logName = [UInt8](repeating: log, count: 32)
        let milliseconds = UInt64(clamping: notBefore) &* 1_000
        let time = stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: milliseconds >> UInt64($0)) }
        let version: [UInt8] = [0]
        let extensions: [UInt8] = [0, 0]
        // RFC 5246 section 7.4.1.4.1: SHA-256 with ECDSA.
        let algorithm: [UInt8] = [4, 3]
        return version + logName + time + extensions + algorithm + Self.sized([UInt8](repeating: log, count: 70))
    }

    /// Bytes behind their number in two bytes.
    private static func sized(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8(truncatingIfNeeded: bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes
    }

    /// DER with a length of two bytes or less. Source: X.690 section 8.1.3.
    private static func octetString(_ bytes: [UInt8]) -> [UInt8] {
        let tag: UInt8 = 0x04
        guard bytes.count >= 128 else { return [tag, UInt8(bytes.count)] + bytes }
        guard bytes.count >= 256 else { return [tag, 0x81, UInt8(bytes.count)] + bytes }
        return [tag, 0x82] + sized(bytes)
    }

    /// Keeps the list well below the 65 535 bytes that its lengths can say.
    private static let mostTimestamps = 255
}
