import ATSPolicy

/// A line for the C preprocessor, which Xcode runs over a list where INFOPLIST_PREPROCESS is on.
enum PreprocessorLine {
    /// What to say of a list that can not be read for the first such line; nil where it has none.
    static func error(in text: [UInt8], source: String) -> DeclarationError? {
        // One line for each byte LF: CR before it is a blank.
        for (index, line) in text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let rest = line.drop { $0 == 0x20 || $0 == 0x09 }
            guard rest.first == UInt8(ascii: "#") else { continue }
            let word = rest.dropFirst().drop { $0 == 0x20 || $0 == 0x09 }.prefix { 0x61...0x7A ~= $0 }
            let name = String(decoding: word, as: UTF8.self)
            guard directives.contains(name) else { continue }
            return DeclarationError(
                source: source, line: index + 1,
                what: "#\(name) is for the C preprocessor, which Xcode runs over the list (INFOPLIST_PREPROCESS):"
                    + " take the list out of the built app, or preprocess it first")
        }
        return nil
    }

    private static let directives: Set = [
        "define", "elif", "else", "endif", "if", "ifdef", "ifndef", "include", "undef",
    ]
}
