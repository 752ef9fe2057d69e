/// Reads one log of a device in pieces and in bounded memory, and delivers its loads in the order of their first lines.
///
/// Bytes become lines, lines messages, messages facts, and facts about one load are joined. No input can end the
/// program: binary data, long lines and files that are not logs are skipped and counted.
public struct EvidenceReader {
    public private(set) var counts = EvidenceCounts()
    /// Bytes that were searched for the ends of messages so far. It does not grow with the number of
    /// lines of a message, because each of them is searched once.
    public var searchedBytes: Int { assembler.searchedBytes + nscurlBytes }

    /// The number of a HAR's entries so far; 0 for other files.
    public var entries: Int { har?.entries ?? 0 }
    /// The number of lines so far.
    public var lines: Int { har?.lines ?? splitter.counts.lines }

    private let log: String
    private var splitter = LineSplitter()
    private var objects = LogObjects()
    private var assembler = MessageAssembler()
    private var joiner = Joiner()
    private var entrance = NSCurlEntrance()
    /// The reader of nscurl output; nil outside of such output.
    private var nscurl: NSCurlReader?
    private var nscurlBytes = 0
    private var har: HARReader?
    private var system: String?
    private var line = 0
    /// The first bytes, until they suffice to detect the kind of file; then nil.
    private var beginning: [UInt8]? = []
    /// Hosts and codes of tasks that failed: a block of diagnostics with the same pair is not a load of its own.
    private var failures: Set<String> = []

    /// The number of first bytes that show the kind of a file.
    public static let beginningBytes = 512

    /// - Parameters:
    ///   - log: its name, for the results.
    ///   - system: the release of the device, if known.
    public init(log: String, system: String? = nil) {
        self.log = log
        self.system = system
    }

    /// True if a file with these first bytes is a HAR. ``beginningBytes`` bytes suffice.
    public static func isHAR(_ beginning: [UInt8]) -> Bool {
        beginning.withUnsafeBytes { HARReader.begins(LogText($0)) }
    }

    /// Reads the next bytes.
    public mutating func read(_ bytes: UnsafeRawBufferPointer, _ each: (EvidenceTask) -> Void) {
        guard var begun = beginning else { return readOn(bytes, each) }
        begun += bytes
        beginning = begun
        if begun.count >= Self.beginningBytes { begin(each) }
    }

    /// Detects the kind of file and reads the bytes so far.
    private mutating func begin(_ each: (EvidenceTask) -> Void) {
        guard let begun = beginning else { return }
        beginning = nil
        begun.withUnsafeBytes { bytes in
            if HARReader.begins(LogText(bytes)) { har = HARReader() }
            readOn(bytes, each)
        }
    }

    private mutating func readOn(_ bytes: UnsafeRawBufferPointer, _ each: (EvidenceTask) -> Void) {
        guard har == nil else { return readHAR(LogText(bytes), each) }
        var splitter = splitter
        splitter.feed(bytes) { take($0, each) }
        self.splitter = splitter
    }

    /// Delivers the remaining loads.
    public mutating func finish(_ each: (EvidenceTask) -> Void) {
        begin(each)
        if har?.isWhole == false { counts.brokenObjects += 1 }
        var splitter = splitter
        splitter.finish { take($0, each) }
        self.splitter = splitter
        var assembler = assembler
        assembler.finish { take($0) }
        self.assembler = assembler
        closeNSCurl(each)
        emit(all: true, each)
        objects.giveUp()
        count()
    }

    private mutating func readHAR(_ chunk: LogText, _ each: (EvidenceTask) -> Void) {
        counts.bytes += chunk.count
        guard var har else { return }
        har.feed(chunk) { deliver($0, each) }
        self.har = har
    }

    // MARK: - Lines

    private mutating func take(_ raw: LogText, _ each: (EvidenceTask) -> Void) {
        line += 1
        guard raw.find(0) == nil else {
            counts.binaryLines += 1
            return
        }
        if raw.find(TerminalEscapes.escape) != nil {
            counts.escapedLines += 1
            TerminalEscapes.stripped(raw).withUnsafeBytes { takeText(LogText($0), each) }
        } else {
            takeText(raw, each)
        }
        if line & 0xFF == 0 || joiner.loads.isCrowded { emit(all: false, each) }
    }

    private mutating func takeText(_ text: LogText, _ each: (EvidenceTask) -> Void) {
        if takeNSCurl(text, each) { return }
        if let reader = entrance.begins(with: text, number: line) { return begin(reader, text, each) }
        if objects.isOpen || text[text.skipBlanks(0)].opensJSON {
            // A line with a log prefix within an object means that it was not an object.
            if objects.isOpen, LinePrefix.read(text) != nil { objects.giveUp() }
            if case .taken(let whole) = objects.take(text, number: line) {
                for object in whole { take(object.object, line: object.line) }
                return
            }
        }
        let number = line
        var assembler = assembler
        // With two owners of its text, appending would copy an open message.
        self.assembler = MessageAssembler()
        assembler.take(text, number: number) { take($0) }
        self.assembler = assembler
    }

    /// Returns true if the line belongs to nscurl output.
    private mutating func takeNSCurl(_ text: LogText, _ each: (EvidenceTask) -> Void) -> Bool {
        guard var reader = nscurl else { return false }
        let before = reader.searchedBytes
        let isOwn = reader.take(text, number: line) { deliver($0, each) }
        nscurlBytes += reader.searchedBytes - before
        nscurl = isOwn ? reader : nil
        return isOwn
    }

    /// Starts to read nscurl output at its first line.
    private mutating func begin(_ reader: NSCurlReader, _ text: LogText, _ each: (EvidenceTask) -> Void) {
        // The lines before may be the end of an error of nscurl's.
        var assembler = assembler
        assembler.finish { take($0) }
        self.assembler = assembler
        joiner.loads.dropFragments(before: line, behindResult: entrance.resultLine)
        entrance = NSCurlEntrance()
        nscurl = reader
        _ = takeNSCurl(text, each)
    }

    private mutating func closeNSCurl(_ each: (EvidenceTask) -> Void) {
        guard var reader = nscurl else { return }
        reader.finish { deliver($0, each) }
        nscurl = nil
    }

    // MARK: - Messages

    /// Reads an event that was a JSON object: its members are arranged as a line with a prefix.
    private mutating func take(_ object: LogObject, line: Int) {
        guard let message = object.message else { return }
        if system == nil { system = SimulatorPath.system(object.sender) }
        var raw = object.time
        let time = 0..<raw.count
        raw += object.app
        let app = time.upperBound..<raw.count
        raw += message
        let prefix = LinePrefix(
            form: .json, time: time.isEmpty ? nil : time, app: app.isEmpty ? nil : app, pid: object.pid,
            thread: object.thread, message: app.upperBound..<raw.count)
        raw.withUnsafeBytes { take(LogMessage(line: line, raw: LogText($0), prefix: prefix)) }
    }

    private mutating func take(_ message: LogMessage) {
        counts.messages += 1
        guard let fact = MessageShape.fact(in: message.text) else {
            if let cause = OtherCause.inText(message.text) { counts.otherCauses[cause, default: 0] += 1 }
            return
        }
        counts.facts += 1
        joiner.take(fact, message)
    }

    // MARK: - Loads

    private mutating func emit(all: Bool, _ each: (EvidenceTask) -> Void) {
        for load in joiner.loads.ready(at: line, all: all) {
            let task = load.result(log: log, system: system)
            if load.kind == .diagnostics {
                guard !failures.contains(Self.mark(task)) else { continue }
            } else if load.kind == .connection, !isOwnLoad(load) {
                joiner.unjoined += 1
                continue
            } else if task.outcome == .failed || task.outcome == .blocked, failures.count < failureLimit {
                failures.insert(Self.mark(task))
            }
            deliver(task, each)
        }
    }

    /// True if the connection failed in TLS, which ends a load. One that was not reached may be one of several
    /// attempts.
    private func isOwnLoad(_ load: LoggedLoad) -> Bool {
        guard let connection = load.connection else { return false }
        return connection.brokeATS || connection.trustJudge != nil || connection.failure?.domain == streamDomainTLS
    }

    private static func mark(_ task: EvidenceTask) -> String { "\(task.host ?? "") \(task.code ?? 0)" }

    private mutating func deliver(_ task: EvidenceTask, _ each: (EvidenceTask) -> Void) {
        var task = task
        task.log = log
        if task.system == nil { task.system = system }
        counts.outcomes[task.outcome, default: 0] += 1
        if let cause = task.otherCause { counts.otherCauses[cause, default: 0] += 1 }
        each(task)
    }

    private mutating func count() {
        counts.bytes += splitter.counts.bytes
        counts.lines = lines
        counts.cutLines = splitter.counts.cutLines
        counts.isUTF16 = splitter.counts.isUTF16
        counts.brokenObjects += objects.broken
        counts.unfinishedMessages = assembler.unfinished
        counts.unjoinedLines = joiner.unjoined + joiner.notes.count
        counts.earlyLoads = joiner.loads.early
        counts.lateLines = joiner.loads.late
    }
}

/// The release of a simulator, from the path of its libraries: `…/Runtimes/iOS 18.2.simruntime/…`.
enum SimulatorPath {
    static func system(_ path: [UInt8]) -> String? {
        path.withUnsafeBytes { bytes in
            let text = LogText(bytes)
            guard let start = text.after("/Runtimes/"), let end = text.find(".simruntime", from: start) else {
                return nil
            }
            let name = text[start, end].string.lowercased().filter { $0 != " " }
            return name.utf8.count <= 16 ? name : nil
        }
    }
}

extension UInt8 {
    fileprivate var opensJSON: Bool {
        self == UInt8(ascii: "{") || self == UInt8(ascii: "[") || self == UInt8(ascii: "}") || self == UInt8(ascii: ",")
    }
}

private let failureLimit = 10_000
