import Records

/// Colours for people, or none at all.
struct TerminalColours {
    let isColoured: Bool

    /// Text in the colour of a verdict: red where a load broke, yellow where it would have, green where it passed.
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

    /// What a device would say, as opposed to us.
    func quiet(_ text: String) -> String { painted(text, code: "2") }

    /// Select Graphic Rendition, ECMA-48 section 8.3.117.
    private func painted(_ text: String, code: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

extension Verdict {
    /// Something broke, or would have.
    var isTrouble: Bool { self == .blocked || self == .wouldBlock || self == .failed }

    /// In words, for sentences.
    var words: String {
        switch self {
        case .allowed: "allowed"
        case .blocked: "blocked"
        case .wouldBlock: "would block"
        case .failed: "failed"
        case .outside: "outside"
        }
    }
}
