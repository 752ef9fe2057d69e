/// Reads the prefix at one place. Each form has a function, which returns nil if the text does not fit.
struct PrefixScan {
    let text: LogText

    func prefix(at start: Int) -> LinePrefix? { prefix(at: start, datesBefore: 0) }

    /// - Parameter datesBefore: the number of build servers' dates before `start`.
    private func prefix(at start: Int, datesBefore: Int) -> LinePrefix? {
        if let end = LogDates.iso(text, start) { return afterDate(Range(from: start, to: end), datesBefore) }
        if let end = LogDates.month(text, start) ?? LogDates.slashed(text, start) {
            let rest = text.skipBlanks(end)
            return process(time: Range(from: start, to: end), at: rest)
        }
        return console(start)
    }

    /// Reads the forms that begin with a numeric date.
    private func afterDate(_ time: Range<Int>, _ datesBefore: Int) -> LinePrefix? {
        let rest = text.skipBlanks(time.upperBound)
        guard rest > time.upperBound else { return nil }
        // A build server puts its own date before the tool's. Checked once: with several dates in a row, each second
        // check would double the work.
        let isDated = LogDates.iso(text, rest) != nil
        if isDated, let inner = prefixOfTool(at: rest, datesBefore + 1) { return inner }
        if text.has("0x", at: rest), let prefix = oslog(time, rest) { return prefix }
        if let process = compactType(rest), let prefix = process2(time: time, at: process, isCompact: true) {
            return prefix
        }
        if let prefix = process(time: time, at: rest) { return prefix }
        if !isDated, let inner = prefixOfTool(at: rest, datesBefore + 1) { return inner }
        return LinePrefix(form: .dated, time: time, message: Range(from: rest, to: text.count))
    }

    private func prefixOfTool(at start: Int, _ datesBefore: Int) -> LinePrefix? {
        guard datesBefore <= datesLimit, let prefix = prefix(at: start, datesBefore: datesBefore),
            prefix.form != .dated
        else { return nil }
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
            fields.append(Range(from: place, to: end))
            place = text.skipBlanks(end)
        }
        guard let thread = hexadecimal(fields[0].lowerBound + 2), let pid = text.number(at: fields[3].lowerBound),
            text.has("0x", at: fields[2].lowerBound),
            let colon = text.find(UInt8(ascii: ":"), from: place, upTo: place + processBytes)
        else { return nil }
        return LinePrefix(
            form: .oslog, time: time, app: Range(from: place, to: colon), pid: pid, thread: thread,
            message: message(from: colon + 1, hasLibrary: true))
    }

    /// The place after the type of the compact style, for example `Df `. Source: log(1).
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
            if let prefix = process(time, Range(from: start, to: open), isCompact) { return prefix }
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

    /// The range without a label at the end: ` [com.apple.CFNetwork][Default]`.
    private func withoutLabel(_ range: Range<Int>) -> Range<Int> {
        guard let category = bracket(before: range.upperBound - 1, in: range), text.has("][", at: category - 1),
            let subsystem = bracket(before: category - 2, in: range), text[subsystem - 1].isBlank
        else { return range }
        return Range(from: range.lowerBound, to: subsystem - 1)
    }

    /// The opening bracket of the word that ends at `last`.
    private func bracket(before last: Int, in range: Range<Int>) -> Int? {
        var place = last
        while place > range.lowerBound, last - place < processBytes, text[place] != UInt8(ascii: "["),
            !text[place].isBlank
        { place -= 1 }
        return place >= range.lowerBound && text[place] == UInt8(ascii: "[") ? place : nil
    }

    /// A process's name without the machine's before it and the library's after it.
    private func bare(_ name: Range<Int>) -> Range<Int> {
        var range = name
        for open in [UInt8(ascii: "("), UInt8(ascii: "{")] {
            if let place = text.find(open, from: range.lowerBound, upTo: range.upperBound), place > range.lowerBound {
                range = Range(from: range.lowerBound, to: place)
            }
        }
        if let blank = text.find(UInt8(ascii: " "), from: range.lowerBound, upTo: range.upperBound) {
            range = Range(from: text.skipBlanks(blank), to: range.upperBound)
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
        guard let end = LogDates.iso(text, time) ?? LogDates.time(text, time), text[end].isBlank else { return nil }
        let app = text.skipBlanks(end)
        let close =
            text[end] == tab ? text.find(tab, from: app, upTo: app + processBytes) : endOfName(from: app)
        guard let close else { return nil }
        return LinePrefix(
            form: .consoleApp, time: Range(from: time, to: end), app: Range(from: app, to: close),
            message: message(from: close, hasLibrary: false))
    }

    /// The end of a process's name before a message, with blanks instead of tabs. A name may contain blanks, so a known
    /// beginning of a message within the next words ends it; without one, the first blank does.
    private func endOfName(from start: Int) -> Int? {
        guard let first = text.find(UInt8(ascii: " "), from: start, upTo: start + processBytes) else { return nil }
        var place = first
        for _ in 0..<nameWords {
            if MessageShapes.startsLikeMessage(text.from(text.skipBlanks(place))) { return place }
            guard let next = text.find(UInt8(ascii: " "), from: text.skipBlanks(place), upTo: start + processBytes)
            else { break }
            place = next
        }
        return first
    }

    // MARK: - After the process

    /// The range after the library in parentheses and the category in brackets, if present.
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
        return Range(from: place, to: text.count)
    }

    /// The place after the bracket that closes a word without blanks; nil if a blank comes first.
    private func closed(by byte: UInt8, from start: Int) -> Int? {
        let end = text.end(from: start + 1, limit: processBytes) { $0 != byte && !$0.isBlank }
        guard text[end] == byte, text[end + 1].isBlank || end + 1 == text.count else { return nil }
        return end + 1
    }

    /// `[C906.1:3]` is not a category.
    private func isConnection(at place: Int) -> Bool {
        text[place] == UInt8(ascii: "C") && text[place + 1].isDigit
    }

    private func hexadecimal(_ start: Int) -> Int? {
        let end = text.end(from: start, limit: 15) { $0.isHexadecimal }
        guard end > start else { return nil }
        return text[start, end].bytes.reduce(0) { $0 << 4 | Int($1.isDigit ? $1 - 48 : ($1 | 0x20) - 87) }
    }
}

/// Most dates of build servers before a tool's own.
private let datesLimit = 4
/// Longest name of a process or label, with the characters around it, in bytes.
private let processBytes = 160
/// Most words of a process's name.
private let nameWords = 5
private let tab: UInt8 = 0x09
