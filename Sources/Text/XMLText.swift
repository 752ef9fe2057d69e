/// Escapes text for XML 1.0, in an element or in double quotes.
public enum XMLText {
    /// Returns the escaped text. Characters that XML 1.0 section 2.2 does not allow become U+FFFD.
    public static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n", "\r", "\t": result += "&#\(scalar.value);"
            case let other where other.value < 0x20 || other.value == 0xFFFE || other.value == 0xFFFF:
                result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
