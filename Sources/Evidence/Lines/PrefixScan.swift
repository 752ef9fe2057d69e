/// Reads one prefix at one place. Each form has its function; what does not fit is nil.
struct PrefixScan {
    let text: LogText

    func prefix(at start: Int) -> LinePrefix? {
        if let end = LogDates.iso(text, start) { return afterDate(start..<end) }
        if let end = LogDates.month(text, start) ?? LogDates.slashed(text, start) {
            let rest = text.skipBlanks(end)
            return process(time: start..<end, at: rest)
        }
        return console(start)
    }

    /// What a date in digits may be followed by.
    private func afterDate(_ time: Range<Int>) -> LinePrefix? {
        let rest = text.skipBlanks(time.upperBound)
        guard rest > time.upperBound else { return nil }
        // A build server puts a date of its own before the tool's.
        if LogDates.iso(text, rest) != nil, let inner = prefixOfTool(at: rest) { return inner }
        if text.has("0x", at: rest), let prefix = oslog(time, rest) { return prefix }
        if let process = compactType(rest), let prefix = process2(time: time, at: process, isCompact: true) {
            return prefix
        }
        if let prefix = process(time: time, at: rest) { return prefix }
        if let inner = prefixOfTool(at: rest) { return inner }
        return LinePrefix(form: .dated, time: time, message: rest..<text.count)
    }

    private func prefixOfTool(at start: Int) -> LinePrefix? {
        guard let prefix = prefix(at: start), prefix.form != .dated else { return nil }
        return prefix
    }

    // MARK: - log show

    /// `0x2f13a Error 0x5a2f0 5398 0 Process: (Library) [subsystem:category] message`.
    private func oslog(_ time: Range<Int>, _ start: Int) -> LinePrefix? {
        var place = start
        var fields: [Range<Int>] = []
        for _ in 0..<5 {
            let end = text.end(from: place, limit: 24) { !$0.isBlank }
            guard end > place, text[end].isBlank else { return nil }
            fields.append(place..<end)
            place = text.skipBlanks(end)
        }
        guard let thread = hexadecimal(fields[0].lowerBound + 2), let pid = text.number(at: fields[3].lowerBound),
            text.has("0x", at: fields[2].lowerBound),
            let colon = text.find(UInt8(ascii: ":"), from: place, upTo: place + processBytes)
        else { return nil }
        return LinePrefix(
            form: .oslog, time: time, app: place..<colon, pid: pid, thread: thread,
            message: message(from: colon + 1, hasLibrary: true))
    }

    /// Behind the type of the compact style, for example `Df `. Source: log(1).
    private func compactType(_ start: Int) -> Int? {
        let end = text.end(from: start, limit: 3) { $0.isLetter }
        guard (1...2).contains(end - start), text[end].isBlank,
            [UInt8(ascii: "A"), UInt8(ascii: "D"), UInt8(ascii: "E"), UInt8(ascii: "F"), UInt8(ascii: "I")]
                .contains(text[start])
        else { return nil }
        return text.skipBlanks(end)
    }

    // MARK: - A process and its number

    private func process(time: Range<Int>, at start: Int) -> LinePrefix? {
        process2(time: time, at: start, isCompact: false)
    }

    /// `Process[PID:TID] …`, `host Process[PID]: …`, `Process(Library)[PID] <Level>: …`, `Process{Library}[PID] <LEVEL>: …`.
    private func process2(time: Range<Int>, at start: Int, isCompact: Bool) -> LinePrefix? {
        var place = start
        while let open = text.find(UInt8(ascii: "["), from: place, upTo: start + processBytes) {
            if let prefix = process(time, start..<open, isCompact) { return prefix }
            place = open + 1
        }
        return nil
    }

    private func process(_ time: Range<Int>, _ name: Range<Int>, _ isCompact: Bool) -> LinePrefix? {
        let open = name.upperBound + 1
        let digits = text.end(from: open, limit: 10) { $0.isDigit }
        guard digits > open, !name.isEmpty, let pid = text.number(at: open) else { return nil }
        var thread = 0
        var close = digits
        if text[digits] == UInt8(ascii: ":") {
            close = text.end(from: digits + 1, limit: 16) { $0.isHexadecimal }
            guard let number = hexadecimal(digits + 1) else { return nil }
            thread = number
        }
        guard text[close] == UInt8(ascii: "]") else { return nil }
        let rest = close + 1
        if thread > 0 {
            guard text[rest].isBlank || rest == text.count else { return nil }
            return LinePrefix(
                form: isCompact ? .compact : .xcode, time: time, app: name, pid: pid, thread: thread,
                message: message(from: rest, hasLibrary: isCompact))
        }
        if text[rest] == UInt8(ascii: ":") {
            return LinePrefix(
                form: .syslog, time: time, app: bare(name), pid: pid, message: message(from: rest + 1, hasLibrary: true)
            )
        }
        guard text.has(" <", at: rest), let end = text.find(UInt8(ascii: ">"), from: rest, upTo: rest + 16),
            text[end + 1] == UInt8(ascii: ":")
        else { return nil }
        return levelled(time, name, pid, from: end + 2)
    }

    /// The two tools that print a level differ in their dates.
    private func levelled(_ time: Range<Int>, _ name: Range<Int>, _ pid: Int, from start: Int) -> LinePrefix {
        let isISO = text[time.lowerBound].isDigit
        var message = message(from: start, hasLibrary: true)
        if isISO, text[message.upperBound - 1] == UInt8(ascii: "]") {
            message = withoutLabel(message)
        }
        return LinePrefix(
            form: isISO ? .pymobiledevice3 : .syslog, time: time, app: bare(name), pid: pid, message: message)
    }

    /// Without a label at the end: ` [com.apple.CFNetwork][Default]`.
    private func withoutLabel(_ range: Range<Int>) -> Range<Int> {
        var end = range.upperBound - 1
        while end > range.lowerBound, text[end] != UInt8(ascii: "["), !text[end].isBlank { end -= 1 }
        guard end > range.lowerBound, text.has("][", at: end - 1) else { return range }
        var start = end - 2
        while start > range.lowerBound, text[start] != UInt8(ascii: "["), !text[start].isBlank { start -= 1 }
        guard text[start] == UInt8(ascii: "["), text[start - 1].isBlank else { return range }
        return range.lowerBound..<(start - 1)
    }

    /// A process's name without the machine's before it and the library's behind it.
    private func bare(_ name: Range<Int>) -> Range<Int> {
        var range = name
        for open in [UInt8(ascii: "("), UInt8(ascii: "{")] {
            if let place = text.find(open, from: range.lowerBound, upTo: range.upperBound), place > range.lowerBound {
                range = range.lowerBound..<place
            }
        }
        if let blank = text.find(UInt8(ascii: " "), from: range.lowerBound, upTo: range.upperBound) {
            range = text.skipBlanks(blank)..<range.upperBound
        }
        return range
    }

    // MARK: - Console.app

    /// `default⇥11:00:00.320226+0800⇥process⇥message`.
    private func console(_ start: Int) -> LinePrefix? {
        let kind = text.end(from: start, limit: 8) { $0.isLetter }
        let types: [StaticString] = ["default", "error", "fault", "info", "debug"]
        guard types.contains(where: { text.has($0, at: start) && $0.utf8CodeUnitCount == kind - start }),
            text[kind].isBlank
        else { return nil }
        let time = text.skipBlanks(kind)
        guard let end = LogDates.time(text, time), text[end].isBlank else { return nil }
        let app = text.skipBlanks(end)
        let separator = text[end] == tab ? tab : UInt8(ascii: " ")
        guard let close = text.find(separator, from: app, upTo: app + processBytes) else { return nil }
        return LinePrefix(
            form: .consoleApp, time: time..<end, app: app..<close, message: message(from: close, hasLibrary: false))
    }

    // MARK: - Behind the process

    /// Behind the library in parentheses and the category in brackets, where they are.
    private func message(from start: Int, hasLibrary: Bool) -> Range<Int> {
        var place = text.skipBlanks(start)
        if hasLibrary, text[place] == UInt8(ascii: "("), let end = closed(by: UInt8(ascii: ")"), from: place) {
            place = text.skipBlanks(end)
        }
        if text[place] == UInt8(ascii: "["), let end = closed(by: UInt8(ascii: "]"), from: place),
            !isConnection(at: place + 1)
        {
            place = text.skipBlanks(end)
        }
        return place..<text.count
    }

    /// Behind the bracket that closes a word without blanks; nil where a blank comes before it.
    private func closed(by byte: UInt8, from start: Int) -> Int? {
        let end = text.end(from: start + 1, limit: processBytes) { $0 != byte && !$0.isBlank }
        guard text[end] == byte, text[end + 1].isBlank || end + 1 == text.count else { return nil }
        return end + 1
    }

    /// `[C906.1:3]` is no category.
    private func isConnection(at place: Int) -> Bool {
        text[place] == UInt8(ascii: "C") && text[place + 1].isDigit
    }

    private func hexadecimal(_ start: Int) -> Int? {
        let end = text.end(from: start, limit: 15) { $0.isHexadecimal }
        guard end > start else { return nil }
        return text[start..<end].bytes.reduce(0) { $0 << 4 | Int($1.isDigit ? $1 - 48 : ($1 | 0x20) - 87) }
    }
}

/// Longest name of a process with what stands around it, in bytes.
private let processBytes = 160
private let tab: UInt8 = 0x09
