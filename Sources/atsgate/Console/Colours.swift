import Foundation

/// Colours of what commands print for people; none where ``wantsColour(on:environment:)`` says so. Source of the codes:
/// ECMA-48 section 8.3.117.
struct Colours {
    /// What stands at the begin of a line, or anywhere where `isAnywhere`, with the code that it is painted with.
    private let marks: [(text: String, code: String)]
    private let isAnywhere: Bool

    /// As compilers do.
    static let lint = Colours(
        [(" error: ", "1;31"), (" warning: ", "1;33"), (" note: ", "1;36")], isAnywhere: true)
    static let doctor = Colours([("broken", "31"), ("well", "32"), ("unknown", "33")])
    static let explain = Colours([("  may leave", "32"), ("  refused", "31")])
    static let replay = Colours([("newly blocked", "31"), ("newly allowed", "32"), ("undecidable", "33")])

    private init(_ marks: [(text: String, code: String)], isAnywhere: Bool = false) {
        self.marks = marks
        self.isAnywhere = isAnywhere
    }

    /// Paints the first mark of each line, where standard output is a terminal that shows colours.
    func painted(_ text: String) -> String {
        guard wantsColour(on: STDOUT_FILENO) else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { paint($0) }.joined(separator: "\n")
    }

    private func paint(_ line: Substring) -> String {
        for (text, code) in marks {
            let place = isAnywhere ? line.firstRange(of: text) : line.hasPrefix(text) ? line.firstRange(of: text) : nil
            guard let place else { continue }
            return line[..<place.lowerBound] + "\u{1B}[\(code)m" + text + "\u{1B}[0m" + line[place.upperBound...]
        }
        return String(line)
    }
}
