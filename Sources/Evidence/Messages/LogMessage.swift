/// One message of a log: what an app's network code or the system wrote, without what tools put before it. It may have
/// several lines.
struct LogMessage {
    /// On which it begins, counted from 1.
    let line: Int
    /// All of it, with its prefix.
    let raw: LogText
    /// nil for a bare line.
    let prefix: LinePrefix?

    var text: LogText { prefix.map { raw.from($0.message.lowerBound) } ?? raw }

    /// Tells processes apart; 0 where none is told, which may be any.
    var process: Int {
        guard let prefix else { return 0 }
        if prefix.pid > 0 { return prefix.pid }
        guard let app = prefix.app else { return 0 }
        return raw[app].bytes.reduce(5381) { ($0 &* 33 ^ Int($1)) & 0x7FFF_FFFF } | 1 << 40
    }

    /// 0 where none is told.
    var thread: Int { prefix?.thread ?? 0 }
    var time: String? { prefix?.time.map { raw[$0].string(upTo: LogObject.timeBytes) } }
    var app: String? { prefix?.app.map { raw[$0].string(upTo: LogObject.appBytes) } }
}
