/// One event of a log that consists of JSON objects: `log show --style ndjson` and `--style json`, pymobiledevice3.
/// Source of the keys: log(1) output; doronz88/pymobiledevice3, syslog live --format json.
struct LogObject {
    private(set) var message: [UInt8]?
    private(set) var time: [UInt8] = []
    private(set) var app: [UInt8] = []
    private(set) var pid = 0
    private(set) var thread = 0
    /// Path of the library that wrote the message, which contains a simulator's release.
    private(set) var sender: [UInt8] = []

    /// Reads a member of the outermost object.
    mutating func take(_ key: [UInt8], _ value: [UInt8], isString: Bool) {
        if isString {
            switch key {
            case Self.eventMessage, Self.plainMessage: message = value
            case Self.timestamp: time = Array(value.prefix(Self.timeBytes))
            case Self.processImagePath, Self.filename: app = Self.lastComponent(value)
            case Self.process where app.isEmpty: app = Self.lastComponent(value)
            case Self.senderImagePath: sender = Array(value.prefix(Self.pathBytes))
            default: break
            }
        } else {
            switch key {
            case Self.processID, Self.pidKey: pid = Self.number(value)
            case Self.threadID, Self.threadKey: thread = Self.number(value)
            default: break
            }
        }
    }

    private static func lastComponent(_ path: [UInt8]) -> [UInt8] {
        let name = path.lastIndex(of: UInt8(ascii: "/")).map { path[($0 + 1)...] } ?? path[...]
        return Array(name.prefix(appBytes))
    }

    private static func number(_ text: [UInt8]) -> Int {
        text.count <= 18 && text.allSatisfy(\.isDigit) ? text.reduce(0) { $0 * 10 + Int($1 - 48) } : 0
    }

    /// Limits for a time and a process name, in bytes, because thousands of waiting loads store them.
    static let timeBytes = 64
    static let appBytes = 160
    /// PATH_MAX of Darwin's limits.h.
    private static let pathBytes = 1024

    private static let eventMessage = Array("eventMessage".utf8)
    private static let plainMessage = Array("message".utf8)
    private static let timestamp = Array("timestamp".utf8)
    private static let processImagePath = Array("processImagePath".utf8)
    private static let filename = Array("filename".utf8)
    private static let process = Array("process".utf8)
    private static let senderImagePath = Array("senderImagePath".utf8)
    private static let processID = Array("processID".utf8)
    private static let pidKey = Array("pid".utf8)
    private static let threadID = Array("threadID".utf8)
    private static let threadKey = Array("thread_id".utf8)
}

/// Collects objects from lines. An object may span several lines.
struct LogObjects {
    private var tokens: JSONTokens?
    private var object = LogObject()
    /// The line on which the open object began.
    private(set) var firstLine = 0
    private var size = 0
    /// Objects that were abandoned: not closed, or invalid JSON.
    private(set) var broken = 0

    var isOpen: Bool { tokens != nil }

    /// The kind of a line.
    enum Outcome {
        /// The line belongs to objects; these are complete.
        case taken([(line: Int, object: LogObject)])
        /// The line is text.
        case text
    }

    /// - Parameter number: the line's number.
    mutating func take(_ line: LogText, number: Int) -> Outcome {
        let start = line.skipBlanks(0)
        if tokens == nil, !Self.begins(line, start) { return .text }
        var done: [(line: Int, object: LogObject)] = []
        var place = start
        while true {
            if tokens == nil {
                // Commas and brackets between objects are skipped.
                place = line.end(from: place) { $0.isBlank || $0 == comma || $0 == open || $0 == close }
                guard line[place] == brace else { break }
                begin(number)
            }
            place += feed(line.from(place))
            guard let state = tokens?.state else { break }
            if case .complete = state {
                done.append((firstLine, object))
                tokens = nil
                continue
            }
            if case .malformed = state {
                broken += 1
                tokens = nil
                return done.isEmpty ? .text : .taken(done)
            }
            break
        }
        guard tokens != nil else { return .taken(done) }
        // A string ends on its line (RFC 8259 section 7).
        _ = [UInt8(ascii: "\n")].withUnsafeBytes { feed(LogText($0)) }
        size += line.count
        if case .malformed = tokens?.state { giveUp() } else if size > sizeLimit { giveUp() }
        return .taken(done)
    }

    /// Abandons an object that was never closed.
    mutating func giveUp() {
        guard tokens != nil else { return }
        broken += 1
        tokens = nil
    }

    private mutating func begin(_ number: Int) {
        tokens = JSONTokens(stringLimit: LineSplitter.lineLimit)
        object = LogObject()
        firstLine = number
        size = 0
    }

    private mutating func feed(_ bytes: LogText) -> Int {
        guard var reader = tokens else { return 0 }
        var object = object
        let end = reader.feed(bytes) { reader, event in
            guard reader.depth == 1, case .scalar(let value, let isString) = event else { return }
            object.take(reader.key, value, isString: isString)
        }
        self.object = object
        tokens = reader
        return end
    }

    /// True for `{`, `{"`, `[{`, `},{` and `[`, the forms of the tools. A brace before other text is not JSON.
    private static func begins(_ line: LogText, _ start: Int) -> Bool {
        let place = line.end(from: start) { $0.isBlank || $0 == comma || $0 == open || $0 == close }
        guard line[place] == brace else { return false }
        let next = line.skipBlanks(place + 1)
        return line[next] == UInt8(ascii: "\"") || next >= line.count
    }

    private static let comma = UInt8(ascii: ",")
    private static let open = UInt8(ascii: "[")
    private static let close = UInt8(ascii: "]")
    private static let brace = UInt8(ascii: "{")
    private let comma = Self.comma
    private let open = Self.open
    private let close = Self.close
    private let brace = Self.brace
    private let sizeLimit = 1 << 20
}
