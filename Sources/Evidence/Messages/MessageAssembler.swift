/// Assembles lines into messages: errors span many lines, terminals wrap, and other threads write in between.
struct MessageAssembler {
    /// The first lines of a message that is not complete.
    private var open: Open?
    /// Messages without an end, which is normal in logs: the person who copied them cut it.
    private(set) var unfinished = 0
    /// Bytes that were searched for the ends of messages.
    private(set) var searchedBytes = 0

    private struct Open {
        let line: Int
        let prefix: LinePrefix?
        var text: [UInt8]
        var scan: MessageScan
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
        let kept = line[0, textLimit - message.text.count]
        message.text.append(contentsOf: kept.bytes)
        message.scan.read(kept)
        message.lines += 1
        message.hasOnlyPrefix = message.hasOnlyPrefix && line.trimmed.isEmpty
        let isWhole = !message.scan.isOpen || message.lines > lineLimit || message.text.count >= textLimit
        open = message
        if isWhole { close(each) }
    }

    /// Delivers the last message.
    mutating func finish(_ each: (LogMessage) -> Void) { close(each) }

    /// Reads a line with a prefix, and lines of other threads that were written into it.
    private mutating func takePrefixed(
        _ line: LogText, _ prefix: LinePrefix, _ number: Int, _ each: (LogMessage) -> Void
    ) {
        var (line, prefix) = (line, prefix)
        for _ in 0..<foreignLimit {
            guard isOpen(line[prefix.message]) else { return takeWhole(line, prefix, number, each) }
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
        guard isOpen(line) else { return each(LogMessage(line: number, raw: line, prefix: nil)) }
        begin(line, nil, number)
    }

    private mutating func begin(_ text: LogText, _ prefix: LinePrefix?, _ number: Int) {
        let kept = prefix?.kept(of: text, limit: textLimit)
        let bytes = kept?.bytes ?? Array(text.bytes.prefix(textLimit))
        let scan = bytes.withUnsafeBytes { MessageScan(LogText($0).from(kept?.prefix.message.lowerBound ?? 0)) }
        open = Open(
            line: number, prefix: kept?.prefix, text: bytes, scan: scan,
            hasOnlyPrefix: prefix.map { text[$0.message].trimmed.isEmpty } ?? false,
            isBlock: text.contains("CFNetwork Diagnostics ["))
    }

    private mutating func close(_ each: (LogMessage) -> Void) {
        guard let message = open else { return }
        open = nil
        searchedBytes += message.scan.bytes
        if message.scan.isOpen { unfinished += 1 }
        message.text.withUnsafeBytes { bytes in
            each(LogMessage(line: message.line, raw: LogText(bytes), prefix: message.prefix))
        }
    }

    /// True if a text of one line continues on the next one.
    private mutating func isOpen(_ text: LogText) -> Bool {
        searchedBytes += text.count
        return MessageScan(text).isOpen
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
