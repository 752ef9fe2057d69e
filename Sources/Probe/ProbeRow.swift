import Text

/// One row of the output for a target: a label and a sentence.
struct ProbeRow {
    let label: String
    let text: String
    /// True for text to copy and for a device's own text, which is not wrapped.
    var isVerbatim = false

    init(_ label: String, _ text: String, isVerbatim: Bool = false) {
        self.label = label
        self.text = text
        self.isVerbatim = isVerbatim
    }

    /// - Parameter colour: colour of the label, a Select Graphic Rendition number (ECMA-48 section 8.3.117).
    func line(_ style: ProbeStyle, colour: String = "2") -> String {
        let gap = String(repeating: " ", count: max(1, Self.labelColumns - label.count))
        let indent = 2 + label.count + gap.count
        let room = isVerbatim ? nil : style.width.map { max($0 - indent, Self.narrowest) }
        let lines = text.printableLines.wrapped(to: room)
        let shown = style.isColoured && !label.isEmpty ? "\u{1B}[\(colour)m\(label)\u{1B}[0m" : label
        return "  " + shown + gap + lines.joined(separator: "\n" + String(repeating: " ", count: indent))
    }

    /// Width of the label column, in characters.
    private static let labelColumns = 11
    /// Lines are not wrapped to fewer characters than this.
    private static let narrowest = 24
}
