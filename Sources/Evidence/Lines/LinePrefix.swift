/// The text before a message: its process and time. Detected for each line, because people paste logs together.
struct LinePrefix: Sendable {
    /// Raw values are shown.
    enum Form: String, Sendable, Hashable, CaseIterable {
        /// Xcode's console, with and without a category: `DATE App[PID:TID] [CATEGORY] MESSAGE`.
        case xcode
        /// `log show`: `DATE 0xTID TYPE 0xACTIVITY PID TTL PROCESS: (LIBRARY) [SUBSYSTEM:CATEGORY] MESSAGE`.
        case oslog
        /// `log show --style compact`: `DATE TY PROCESS[PID:TID] [SUBSYSTEM:CATEGORY] MESSAGE`.
        case compact
        /// `log show --style syslog`, idevicesyslog: `DATE HOST PROCESS[PID]: MESSAGE`, `… PROCESS(LIBRARY)[PID] <LEVEL>: …`.
        case syslog
        /// Copies out of Console.app: `TYPE⇥TIME⇥PROCESS⇥MESSAGE`.
        case consoleApp = "console-app"
        /// pymobiledevice3's text: `DATE PROCESS{LIBRARY}[PID] <LEVEL>: MESSAGE [SUBSYSTEM][CATEGORY]`.
        case pymobiledevice3
        /// One JSON object an event: `log --style ndjson` and `json`, pymobiledevice3.
        case json
        /// A date and no process.
        case dated
    }

    var form: Form
    var time: Range<Int>?
    var app: Range<Int>?
    /// 0 if the prefix contains none.
    var pid = 0
    /// 0 if the prefix contains none.
    var thread = 0
    /// Range of the message.
    var message: Range<Int>

    /// Reads the prefix of `text`, after text that tools and people put before it; nil for a bare line.
    static func read(_ text: LogText) -> LinePrefix? {
        var start = text.skipBlanks(0)
        for _ in 0..<wrapperLimit {
            if let prefix = PrefixScan(text: text).prefix(at: start) { return prefix }
            guard let next = wrapperEnd(text, start) else { return nil }
            start = text.skipBlanks(next)
        }
        return nil
    }

    /// The bytes of `line` to keep: time, process and message, and the prefix with their places in those bytes.
    func kept(of line: LogText, limit: Int) -> (bytes: [UInt8], prefix: LinePrefix) {
        var bytes: [UInt8] = []
        func keep(_ part: Range<Int>, _ limit: Int) -> Range<Int> {
            let start = bytes.count
            bytes.append(contentsOf: line[part].bytes.prefix(limit))
            return start..<bytes.count
        }
        var kept = self
        kept.time = time.map { keep($0, LogObject.timeBytes) }
        kept.app = app.map { keep($0, LogObject.appBytes) }
        kept.message = keep(message, limit)
        return (bytes, kept)
    }

    /// The end of a viewer's line number (`1543 :`), a quotation mark of Markdown, or a tool's own text in brackets (`[
    /// +66 ms] [DEVICE LOG] `).
    private static func wrapperEnd(_ text: LogText, _ start: Int) -> Int? {
        switch text[start] {
        case UInt8(ascii: "["):
            return text.find(UInt8(ascii: "]"), from: start, upTo: start + wrapperBytes).map { $0 + 1 }
        case UInt8(ascii: ">"), UInt8(ascii: "|"): return start + 1
        case let byte where byte.isDigit:
            let digits = text.end(from: start, limit: 9) { $0.isDigit }
            let end = text.skipBlanks(digits)
            if text[end] == UInt8(ascii: ":") || text[end] == UInt8(ascii: "|") { return end + 1 }
            return end > digits ? end : nil
        default: return nil
        }
    }

    private static let wrapperLimit = 4
    private static let wrapperBytes = 48
}
