/// A file path as a URI reference: RFC 3986 section 4.
public enum URIReference {
    /// Returns the URI reference of a path. A colon is escaped so that it cannot be read as the end of a scheme.
    public static func text(_ path: String) -> String {
        var result = path.hasPrefix("/") ? "file://" : ""
        for byte in path.utf8 {
            if isPlain(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += "%" + byte.hexadecimal.uppercased()
            }
        }
        return result
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || "-._~/!+@".utf8.contains(byte)
    }
}
