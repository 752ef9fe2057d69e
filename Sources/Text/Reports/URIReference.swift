/// A path of a file as a URI reference: RFC 3986 section 4.
public enum URIReference {
    /// A colon must not look like a scheme's, so that it is escaped, too.
    public static func text(_ path: String) -> String {
        var result = path.hasPrefix("/") ? "file://" : ""
        for byte in path.utf8 {
            if isPlain(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%" + (digits.count < 2 ? "0" : "") + digits
            }
        }
        return result
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || "-._~/!+@".utf8.contains(byte)
    }
}
