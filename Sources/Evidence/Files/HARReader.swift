/// Reads a HAR file (version 1.2): a load for each entry, with the time of its request.
///
/// A HAR contains hosts, cleartext loads and answers, but no TLS facts and no error codes. Loads that failed in TLS
/// have status 0 or are missing. Source: http://www.softwareishard.com/blog/har-12-spec/.
struct HARReader {
    private var tokens = JSONTokens(stringLimit: stringLimit)
    private var entry: Entry?
    private var line = 1
    private(set) var entries = 0

    private struct Entry {
        let line: Int
        var time: String?
        var url: String?
        var status: Int?
        var error: String?
        /// The keys of the containers within the entry.
        var path: [String] = []
    }

    /// True if a file with this beginning is a HAR.
    static func begins(_ start: LogText) -> Bool {
        var place = byteOrderMark(start)
        for word in ["{", "\"log\"", ":", "{"] as [StaticString] {
            place = start.skipBlanks(place)
            guard start.has(word, at: place) else { return false }
            place += word.utf8CodeUnitCount
        }
        return true
    }

    private static func byteOrderMark(_ start: LogText) -> Int { start.has("\u{FEFF}") ? 3 : 0 }

    /// True if all of the file was read, without text after its end.
    var isWhole: Bool { if case .complete = tokens.state { !hasMore } else { false } }
    /// The number of lines that have begun.
    var lines: Int { line - (endsLine ? 1 : 0) }

    private var endsLine = true
    private var hasMore = false

    /// Reads the next bytes, and delivers the entries that end in them.
    mutating func feed(_ chunk: LogText, _ each: (EvidenceTask) -> Void) {
        var reader = tokens
        var start = line == 1 && reader.depth == 0 ? Self.byteOrderMark(chunk) : 0
        while start < chunk.count {
            // Line by line, to know on which line an entry begins.
            let end = chunk.find(UInt8(ascii: "\n"), from: start).map { $0 + 1 } ?? chunk.count
            let read = reader.feed(chunk[start, end]) { tokens, event in take(tokens, event, each) }
            if case .complete = reader.state, chunk.skipBlanks(start + read) < end { hasMore = true }
            endsLine = chunk[end - 1] == UInt8(ascii: "\n")
            if endsLine { line += 1 }
            start = end
        }
        tokens = reader
    }

    /// Reads an event. The outermost object, `log` and `entries` are the three containers around an entry.
    private mutating func take(_ tokens: JSONTokens, _ event: JSONTokens.Event, _ each: (EvidenceTask) -> Void) {
        switch event {
        case .begin(let isObject):
            if tokens.depth == 3, isObject, isEntries { entry = Entry(line: line) }
            if tokens.depth > 3 { entry?.path.append(String(decoding: tokens.key, as: UTF8.self)) }
            if tokens.depth == 2 { isEntries = !isObject && tokens.key.elementsEqual("entries".utf8) }
        case .end:
            if tokens.depth > 3 { _ = entry?.path.popLast() }
            if tokens.depth == 3, let entry {
                self.entry = nil
                entries += 1
                if let task = task(of: entry) { each(task) }
            }
        case .scalar(let value, _): scalar(String(decoding: tokens.key, as: UTF8.self), value)
        }
    }

    private var isEntries = false

    private mutating func scalar(_ key: String, _ value: [UInt8]) {
        guard let path = entry?.path else { return }
        let text = { (limit: Int) in value.withUnsafeBytes { LogText($0).string(upTo: limit) } }
        switch (path, key) {
        case ([], "startedDateTime"): entry?.time = text(LogObject.timeBytes)
        case (["request"], "url"): entry?.url = text(Self.stringLimit)
        case (["response"], "status"): entry?.status = Int(text(Self.numberBytes))
        case (["response"], "_error"), (["response"], "_errorMessage"), ([], "_error"):
            if !value.isEmpty, text(Self.errorBytes) != "null" { entry?.error = text(Self.errorBytes) }
        default: break
        }
    }

    private func task(of entry: Entry) -> EvidenceTask? {
        guard let text = entry.url else { return nil }
        let bytes = Array(text.utf8) + [0x20]
        guard let url = bytes.withUnsafeBytes({ PrintedURL(LogText($0), at: 0) }), let host = url.host else {
            return nil
        }
        var task = EvidenceTask(log: "", line: entry.line)
        task.source = .har
        task.time = entry.time
        task.host = host
        task.url = url.isCut ? nil : url.text
        task.scheme = url.scheme
        let status = entry.status ?? 0
        task.status = status > 0 ? status : nil
        task.outcome = status > 0 ? .allowed : .failed
        if let error = entry.error { task.lines = [error] }
        return task
    }

    init() {}

    private static let stringLimit = 16 << 10
    private static let errorBytes = 512
    private static let numberBytes = 16
}
