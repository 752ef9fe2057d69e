/// One message of a log, from an app's network code or the system, of one or more lines.
struct LogMessage {
    /// The line on which it begins, counted from 1.
    let line: Int
    /// The whole message, with its prefix.
    let raw: LogText
    /// nil for a bare line.
    let prefix: LinePrefix?

    var text: LogText { prefix.map { raw.from($0.message.lowerBound) } ?? raw }

    /// Identifies the process; 0 if unknown, which matches any.
    var process: Int {
        guard let prefix else { return 0 }
        if prefix.pid > 0 { return prefix.pid }
        guard let app = prefix.app else { return 0 }
        return raw[app].bytes.reduce(5381) { ($0 &* 33 ^ Int($1)) & 0x7FFF_FFFF } | 1 << 40
    }

    /// 0 if unknown.
    var thread: Int { prefix?.thread ?? 0 }
    var time: String? { prefix?.time.map { raw[$0].string(upTo: LogObject.timeBytes) } }
    var app: String? { prefix?.app.map { raw[$0].string(upTo: LogObject.appBytes) } }
}
