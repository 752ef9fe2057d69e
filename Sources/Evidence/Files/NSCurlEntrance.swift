/// Detects nscurl output in a log by text that only nscurl prints: its first words, or a sequence of `---`, a test's
/// name and `ATS Dictionary:`. The sequence is for excerpts without the first words. Many tools print lines of equals
/// signs and results.
struct NSCurlEntrance {
    private enum Step {
        case none, dashes
        case name(String, line: Int)
    }

    private var step = Step.none
    private var isTitle = false
    private var host: String?
    /// The last line with a result outside of known output; an error of nscurl's may follow it.
    private(set) var resultLine: Int?

    /// A reader for the output that begins with this line; nil if none does.
    mutating func begins(with text: LogText, number: Int) -> NSCurlReader? {
        let line = text.trimmed
        guard !line.isEmpty else { return nil }
        if NSCurlReader.begins(line) { return NSCurlReader() }
        defer { isTitle = line.has("====") }
        switch step {
        case .dashes where line.count <= nscurlNameBytes && LinePrefix.read(line) == nil:
            step = .name(line.string, line: number)
        case .name(let name, let first) where line.has("ATS Dictionary:"):
            step = .none
            return NSCurlReader(host: host, name: name, line: first)
        default:
            step = line.has("---") && line.count == 3 ? .dashes : .none
            if isTitle { host = NSCurlReader.host(inTitle: line) ?? host }
            if NSCurlReader.result(line) != nil { resultLine = number }
        }
        return nil
    }
}

/// Longest name of a test, in bytes.
let nscurlNameBytes = 160
