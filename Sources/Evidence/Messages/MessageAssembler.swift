/// Assembles lines into messages: errors span many lines, terminals wrap, and other threads write in between.
struct MessageAssembler {
    /// The first lines of a message that is not complete.
    private var open: Open?
    /// Messages without an end, which is normal in logs: the person who copied them cut it.
    private(set) var unfinished = 0

    private struct Open {
        let line: Int
        let prefix: LinePrefix?
        var text: [UInt8]
        var lines = 1
        /// Complete messages of other threads since then.
        var others = 0
        var hasOnlyPrefix: Bool
        /// True for CFNETWORK_DIAGNOSTICS: a block has its own end, and contains errors.
        var isBlock: Bool
    }

    /// Reads a line, and delivers each message that is complete.
    mutating func take(_ line: LogText, number: Int, _ each: (LogMessage) -> Void) {
        let dressed = line.from(line.skipBlanks(0))
        if let prefix = LinePrefix.read(dressed) { return takePrefixed(dressed, prefix, number, each) }
        takeUndressed(line, number, each)
    }

    /// Reads a line without a prefix.
    private mutating func takeUndressed(_ line: LogText, _ number: Int, _ each: (LogMessage) -> Void) {
        guard var message = open else { return takeBare(line, number, each) }
        guard message.hasOnlyPrefix || message.isBlock || !MessageShapes.begins(line) else {
            close(each)
            return takeBare(line, number, each)
        }
        // With two owners of the text, appending would copy it.
        open = nil
        message.text.append(UInt8(ascii: "\n"))
        message.text.append(contentsOf: line.bytes.prefix(max(0, textLimit - message.text.count)))
        message.lines += 1
        message.hasOnlyPrefix = message.hasOnlyPrefix && line.trimmed.isEmpty
        open = message
        let isWhole = message.text.withUnsafeBytes { bytes in
            let start = message.prefix?.message.lowerBound ?? 0
            return !MessageShapes.isOpen(LogText(bytes).from(start))
        }
        if isWhole || message.lines > lineLimit || message.text.count >= textLimit { close(each) }
    }

    /// Delivers the last message.
    mutating func finish(_ each: (LogMessage) -> Void) { close(each) }

    /// Reads a line with a prefix, and lines of other threads that were written into it.
    private mutating func takePrefixed(
        _ line: LogText, _ prefix: LinePrefix, _ number: Int, _ each: (LogMessage) -> Void
    ) {
        var (line, prefix) = (line, prefix)
        for _ in 0..<foreignLimit {
            guard MessageShapes.isOpen(line[prefix.message]) else { return takeWhole(line, prefix, number, each) }
            close(each)
            guard let place = foreignPrefix(in: line, from: prefix.message.lowerBound) else { break }
            begin(line[0, place], prefix, number)
            line = line.from(place)
            guard let next = LinePrefix.read(line) else { return takeUndressed(line, number, each) }
            prefix = next
        }
        close(each)
        begin(line[0, prefix.message.upperBound], prefix, number)
    }

    /// Reads a line that is a complete message.
    private mutating func takeWhole(
        _ line: LogText, _ prefix: LinePrefix, _ number: Int, _ each: (LogMessage) -> Void
    ) {
        if let message = open {
            // Another thread's line within an error of many lines: the error continues after it.
            if message.hasOnlyPrefix || message.others >= othersLimit { close(each) }
            open?.others += 1
        }
        each(LogMessage(line: number, raw: line[0, prefix.message.upperBound], prefix: prefix))
    }

    private mutating func takeBare(_ line: LogText, _ number: Int, _ each: (LogMessage) -> Void) {
        let line = line.trimmed
        guard !line.isEmpty else { return }
        guard MessageShapes.isOpen(line) else { return each(LogMessage(line: number, raw: line, prefix: nil)) }
        begin(line, nil, number)
    }

    private mutating func begin(_ text: LogText, _ prefix: LinePrefix?, _ number: Int) {
        let kept = prefix?.kept(of: text, limit: textLimit)
        open = Open(
            line: number, prefix: kept?.prefix, text: kept?.bytes ?? Array(text.bytes.prefix(textLimit)),
            hasOnlyPrefix: prefix.map { text[$0.message].trimmed.isEmpty } ?? false,
            isBlock: text.contains("CFNetwork Diagnostics ["))
    }

    private mutating func close(_ each: (LogMessage) -> Void) {
        guard let message = open else { return }
        open = nil
        message.text.withUnsafeBytes { bytes in
            let raw = LogText(bytes)
            let whole = LogMessage(line: message.line, raw: raw, prefix: message.prefix)
            if MessageShapes.isOpen(whole.text) { unfinished += 1 }
            each(whole)
        }
    }

    /// The place in an error's line where another thread's line begins: Xcode's console mixes the output of threads.
    private func foreignPrefix(in line: LogText, from start: Int) -> Int? {
        guard line.find("Error Domain=", from: start) != nil else { return nil }
        var place = start + 1
        while let year = line.find("20", from: place) {
            if LogDates.iso(line, year) != nil, case .xcode = PrefixScan(text: line).prefix(at: year)?.form {
                return year
            }
            place = year + 2
        }
        return nil
    }
}

/// Longest message, in bytes: a chain of certificates with all its names has a tenth of that.
private let textLimit = 64 << 10
private let lineLimit = 256
/// Limit of complete messages of other threads within a message.
private let othersLimit = 8
/// Limit of lines of other threads within one line.
private let foreignLimit = 8
