/// Comma-separated values by RFC 4180.
public enum CSVText {
    /// One row with its line end.
    public static func row(_ fields: [String]) -> String { fields.map(field).joined(separator: ",") + "\r\n" }

    /// Quotes a field if RFC 4180 section 2 requires it. Text that a spreadsheet would read as a formula gets an
    /// apostrophe prefix (OWASP, CSV Injection).
    static func field(_ text: String) -> String {
        let text = text.printable
        let isFormula = text != "-" && text.first.map { "=+-@\t\r".contains($0) } == true
        let safe = isFormula && Int(text) == nil ? "'" + text : text
        guard safe.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return safe }
        return "\"" + safe.replacing("\"", with: "\"\"") + "\""
    }
}
