/// Decides from its lines whether a message continues: an error with open brackets, a block of diagnostics, or a line that
/// a terminal wrapped. Reads each byte once, and keeps counts instead of text.
struct MessageScan {
    /// Bytes read so far.
    private(set) var bytes = 0
    private var isEmpty = true
    private var isBlock = false
    private var hasBlockEnd = false
    private var isError = false
    private var isLoad = false
    private var endsInTask = false
    private var braces = 0
    private var parentheses = 0
    private var brackets = 0

    /// Begins with a text of one or more lines.
    init(_ text: LogText) { read(text) }

    /// Reads the next whole lines.
    mutating func read(_ lines: LogText) {
        bytes += lines.count
        let text = lines.trimmed
        guard !text.isEmpty else { return }
        isBlock = isBlock || text.contains("CFNetwork Diagnostics [")
        hasBlockEnd = hasBlockEnd || Self.hasBlockEnd(text)
        isError = isError || text.contains("Error Domain=") || text.contains("UserInfo={")
        isLoad = isLoad || text.contains("Task") || text.contains("TLS con") || (isEmpty && text.has("[C"))
        endsInTask = text.hasSuffix("Task")
        isEmpty = false
        count(text)
    }

    /// True if the message continues on the next line.
    var isOpen: Bool {
        if isEmpty { return true }
        if isBlock { return !hasBlockEnd }
        if isError { return isUnbalanced }
        return isLoad && (endsInTask || isUnbalanced)
    }

    /// True if some kind of bracket was opened more often than closed.
    private var isUnbalanced: Bool { braces > 0 || parentheses > 0 || brackets > 0 }

    private mutating func count(_ text: LogText) {
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
}
