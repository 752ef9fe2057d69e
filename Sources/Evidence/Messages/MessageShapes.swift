/// Tests for the begin and the end of messages.
enum MessageShapes {
    /// True if the message continues: an error with open brackets, a block of diagnostics, or a line that a terminal
    /// wrapped.
    static func isOpen(_ text: LogText) -> Bool {
        let text = text.trimmed
        guard !text.isEmpty else { return true }
        if text.contains("CFNetwork Diagnostics [") { return !hasBlockEnd(text) }
        if text.contains("Error Domain=") || text.contains("UserInfo={") { return isUnbalanced(text) }
        guard text.contains("Task") || text.contains("TLS con") || text.has("[C") else { return false }
        return text.hasSuffix("Task") || isUnbalanced(text)
    }

    /// `} [1:10]` ends a block of `CFNETWORK_DIAGNOSTICS`.
    private static func hasBlockEnd(_ text: LogText) -> Bool {
        var place = 0
        while let end = text.find("} [", from: place) {
            let digits = text.end(from: end + 3) { $0.isDigit || $0 == UInt8(ascii: ":") }
            if digits > end + 3, text[digits] == UInt8(ascii: "]") { return true }
            place = end + 3
        }
        return false
    }

    /// True if some kind of bracket is opened more often than closed.
    private static func isUnbalanced(_ text: LogText) -> Bool {
        var (braces, parentheses, brackets) = (0, 0, 0)
        for byte in text.bytes {
            switch byte {
            case UInt8(ascii: "{"): braces += 1
            case UInt8(ascii: "}"): braces = max(0, braces - 1)
            case UInt8(ascii: "("): parentheses += 1
            case UInt8(ascii: ")"): parentheses = max(0, parentheses - 1)
            case UInt8(ascii: "["): brackets += 1
            case UInt8(ascii: "]"): brackets = max(0, brackets - 1)
            default: break
            }
        }
        return braces > 0 || parentheses > 0 || brackets > 0
    }

    /// True if the line begins a message, so it does not continue the one before.
    static func begins(_ line: LogText) -> Bool {
        let line = line.trimmed
        if starts.contains(where: { line.has($0) }) { return true }
        if line.has("[C"), line[2].isDigit { return true }
        // An error after a brace is the cause of another error.
        guard let error = line.find("Error Domain=") else { return false }
        return line[error - 1] != UInt8(ascii: "{")
    }

    private static let starts: [StaticString] = [
        "Task <", "PDTask <", "Connection ", "App Transport Security has", "Cannot start load", "ATS failed",
        "CFNetwork ",
        "NSURLSession/NSURLConnection", "NSURLConnection finished", "TIC ", "nw_", "boringssl_",
        "System Trust Evaluation", "Trust evaluate failure", "(Trust 0x", "HTTP load failed", "finished with error",
        "NSErrorFailingURL", "Starting ATS Diagnostics",
    ]
}
