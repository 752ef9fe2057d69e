/// A connection of one process, with the facts from its lines.
final class Connection {
    let process: Int
    /// The last line that named it.
    var lastLine: Int
    var endpoint: Endpoint?
    var serverName: String?
    var hasTLS = false
    var tls: PrintedTLS?
    /// True while a trust evaluation has no result.
    var isEvaluating = false
    var systemTrust: Int?
    var trustJudge: TrustJudge?
    var trustCode: Int?
    /// True if a line reports that ATS ended it.
    var brokeATS = false
    var failure: (domain: Int, code: Int)?
    /// The thread of the line that reported the failure.
    var failureThread = 0
    /// Loads that use it.
    var users = 0
    /// The load for a failure that no task has claimed yet.
    var orphan: LoggedLoad?
    var lines = KeptLines()

    init(process: Int, line: Int) {
        self.process = process
        lastLine = line
    }

    /// True if the system or ATS itself blocked it.
    var isRefusedByPolicy: Bool {
        brokeATS || trustJudge == .system || trustJudge == .strict || (systemTrust ?? 0) != 0
    }

    var host: String? { endpoint?.host ?? serverName }

    /// nil if the lines do not show it.
    var scheme: String? {
        if hasTLS || tls != nil || endpoint?.hasTLS == true { return "https" }
        if let url = endpoint?.url { return url.scheme }
        if failure?.domain == streamDomainTLS || trustJudge != nil { return "https" }
        return endpoint?.hasTLS == false ? "http" : nil
    }
}

/// kCFStreamErrorDomainSSL of CFStream.h.
let streamDomainTLS = 3

/// Lines that are delivered with a load; limited, because a log may repeat a line any number of times.
struct KeptLines {
    private(set) var lines: [(number: Int, text: String)] = []
    private(set) var bytes = 0

    mutating func add(_ message: LogMessage) {
        guard lines.count < Self.countLimit, bytes < Self.bytesLimit else { return }
        let text = message.text.trimmed
        let kept = text[0, min(text.count, Self.lineLimit)].string
        lines.append((message.line, kept))
        bytes += kept.utf8.count
    }

    mutating func add(_ other: KeptLines) {
        for line in other.lines where lines.count < Self.countLimit && bytes < Self.bytesLimit {
            lines.append(line)
            bytes += line.text.utf8.count
        }
    }

    /// In the order of the log.
    var texts: [String] { lines.sorted { $0.number < $1.number }.map(\.text) }

    private static let countLimit = 48
    private static let lineLimit = 4096
    private static let bytesLimit = 16 << 10
}
