import ATSPolicy

/// A line for the C preprocessor, which Xcode runs over an Info.plist if INFOPLIST_PREPROCESS is on.
enum PreprocessorLine {
    /// The error for the first such line of an unreadable list; nil if it has none.
    static func error(in text: [UInt8], source: String) -> DeclarationError? {
        // LF separates lines; a CR before it counts as a blank.
        for (index, line) in text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let rest = line.drop { $0 == 0x20 || $0 == 0x09 }
            guard rest.first == UInt8(ascii: "#") else { continue }
            let word = rest.dropFirst().drop { $0 == 0x20 || $0 == 0x09 }.prefix { 0x61...0x7A ~= $0 }
            let name = String(decoding: word, as: UTF8.self)
            guard directives.contains(name) else { continue }
            return DeclarationError(
                source: source, line: index + 1,
                what: "#\(name) is a C preprocessor line, which Xcode resolves in the build (INFOPLIST_PREPROCESS):"
                    + " use the Info.plist of the built app, or preprocess this one first")
        }
        return nil
    }

    private static let directives: Set = [
        "define", "elif", "else", "endif", "if", "ifdef", "ifndef", "include", "undef",
    ]
}
