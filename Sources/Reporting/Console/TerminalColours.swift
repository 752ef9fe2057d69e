public import Records

/// Colours text for a terminal, or leaves it plain.
struct TerminalColours {
    let isColoured: Bool

    /// Text in the colour of a verdict: red for blocked and failed, yellow for would block, green for allowed.
    func verdict(_ text: String, _ verdict: Verdict) -> String {
        switch verdict {
        case .blocked, .failed: painted(text, code: "31")
        case .wouldBlock: painted(text, code: "33")
        case .allowed: painted(text, code: "32")
        case .outside: painted(text, code: "36")
        }
    }

    /// A heading or the name of a rule.
    func strong(_ text: String) -> String { painted(text, code: "1") }

    /// Secondary text, such as a device's own lines.
    func quiet(_ text: String) -> String { painted(text, code: "2") }

    /// Select Graphic Rendition, ECMA-48 section 8.3.117.
    private func painted(_ text: String, code: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

extension Verdict {
    /// True if something was blocked or failed, or would be blocked.
    var isTrouble: Bool { self == .blocked || self == .wouldBlock || self == .failed }

    /// The word for it in texts for people.
    public var words: String {
        switch self {
        case .allowed: "allowed"
        case .blocked: "blocked"
        case .wouldBlock: "would block"
        case .failed: "failed"
        case .outside: "outside"
        }
    }

    /// The word after a number of loads: `3 loads would be blocked`.
    var pastWords: String { self == .wouldBlock ? "would be blocked" : words }
}

/// How much the console prints about loads. Raw values are those of `--console`.
public enum ConsoleStyle: String, Sendable, Hashable, CaseIterable {
    /// A line for each load, with repeats folded.
    case short
    /// Also the lines that a device prints.
    case apple
    case none
}
