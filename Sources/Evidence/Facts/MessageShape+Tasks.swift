import ATSPolicy

/// Lines that name a task.
extension MessageShape {
    static let refusals: [MessageShape] = [
        MessageShape(
            name: "Cannot start load of Task", needle: "Cannot start load of ", source: "TelemetryDeck/SwiftSDK#254",
            confidence: .observed
        ) { text in TaskLine(text).map { .task($0.id, .refusedByPolicy) } },
        MessageShape(
            name: "App Transport Security has blocked a cleartext HTTP connection to HOST",
            needle: "App Transport Security has blocked a cleartext", source: "TelemetryDeck/SwiftSDK#254",
            confidence: .observed, read: cleartext),
    ]

    static let taskEnds: [MessageShape] = [
        MessageShape(
            name: "Task finished with error", needle: "finished with error",
            source: "transistorsoft/cordova-background-geolocation-lt#1435", confidence: .observed,
            read: finishedWithError),
        MessageShape(
            name: "Task load failed with error", needle: "load failed with error",
            source: "BrightcoveOS/ios-player-samples#90", confidence: .observed, read: finishedWithError),
        MessageShape(
            name: "Task HTTP load failed", needle: "HTTP load failed",
            source: "transistorsoft/cordova-background-geolocation-lt#1435", confidence: .observed, read: loadFailed),
        MessageShape(
            name: "Task summary", needle: "summary for task ", source: "flutter/flutter#44504", confidence: .observed,
            read: summary),
        MessageShape(
            name: "Task finished successfully", needle: "finished successfully", source: "flutter/flutter#44504",
            confidence: .observed
        ) { text in TaskLine(text).map { .task($0.id, .finished) } },
        MessageShape(
            name: "Task received response", needle: "received response", source: "sharkda/obsidianV0",
            confidence: .observed
        ) { text in
            TaskLine(text).map { .task($0.id, .answered(status: $0.rest.number(after: "status "))) }
        },
    ]

    static let taskSteps: [MessageShape] = [
        MessageShape(
            name: "Task {strength …}: the ruling, up to macOS 13", needle: "{strength", source: "flutter/flutter#48991",
            confidence: .observed
        ) { text in
            guard let line = TaskLine(text) else { return nil }
            return .task(line.id, PrintedRuling(line.rest).map { .ruling($0) } ?? .mentioned)
        },
        MessageShape(
            name: "Task uses a connection", needle: " Connection ", source: "sharkda/obsidianV0",
            confidence: .observed
        ) { text in
            guard let line = TaskLine(text) else { return nil }
            let number =
                line.rest.number(after: "using Connection ") ?? line.rest.number(after: "setting up Connection ")
            guard let number else { return nil }
            return .task(line.id, .usesConnection(number))
        },
        MessageShape(
            name: "Task auth completion: whether a delegate gave a credential", needle: "auth completion disp=",
            source: "sharkda/obsidianV0", confidence: .observed
        ) { text in
            guard let line = TaskLine(text), let disposition = line.rest.number(after: "disp=") else { return nil }
            return .task(line.id, .delegate(answered: disposition == 0))
        },
    ]

    // MARK: - Recognisers

    private static func cleartext(_ text: LogText) -> Fact? {
        guard let start = text.after("HTTP connection to") else { return .loose(.cleartextRefused(host: nil)) }
        // Xcode 14 prints no spaces around the host.
        let end = text.find("since it is insecure", from: start) ?? text.count
        let host = text[start, end].trimmed
        guard !host.isEmpty, !host.bytes.contains(where: \.isBlank) else { return .loose(.cleartextRefused(host: nil)) }
        return .loose(.cleartextRefused(host: PrintedURL.host(host.string)))
    }

    private static func finishedWithError(_ text: LogText) -> Fact? {
        if let place = text.after("NSURLConnection finished with error"), TaskLine(text) == nil,
            let code = text.spacedNumber(from: place, within: 16)
        {
            return .loose(.connectionFinished(code: code))
        }
        let line = TaskLine(text)
        var error = LoadError(text: text) ?? LoadError()
        error.isFragment = false
        let words = line?.rest ?? text
        error.code = error.code ?? words.number(after: "error [") ?? words.number(after: "code: ")
        if let line { return .task(line.id, .failed(error)) }
        guard error.code != nil else { return nil }
        return error.task.map { .task($0, .failed(error)) } ?? .loose(.error(error))
    }

    private static func loadFailed(_ text: LogText) -> Fact? {
        if let place = text.after("(kCFStreamErrorDomainSSL, ") {
            return text.number(at: place).map { .loose(.streamFailed(code: $0, isHandshake: false)) }
        }
        guard let place = text.after("(error code: "), let code = text.number(at: place) else { return nil }
        var error = LoadError(text: text) ?? LoadError()
        error.code = code
        error.isFragment = false
        if let stream = StreamNumbers(text, after: "[", from: place) {
            (error.streamDomain, error.streamCode) = (stream.domain, stream.code)
        }
        return TaskLine(text).map { .task($0.id, .failed(error)) } ?? .loose(.loadFailed(error))
    }

    private static func summary(_ text: LogText) -> Fact? {
        guard let line = TaskLine(text), let place = line.rest.after("summary for task ") else { return nil }
        return .task(
            line.id,
            .summary(
                isSuccess: line.rest.has("success", at: place), status: line.rest.number(after: "response_status="),
                connection: line.rest.number(after: "connection=")))
    }
}

/// A line that names a task, and the text after the name.
struct TaskLine {
    let id: TaskID
    let rest: LogText

    /// The first `Task <UUID>.<n>`; the word is missing if a log begins within a line.
    init?(_ text: LogText) {
        var place = 0
        while let word = text.after("Task", from: place) {
            if let id = TaskID(text, at: text.skipBlanks(word)) {
                self.init(id, text, text.skipBlanks(word))
                return
            }
            place = word
        }
        guard let id = TaskID(text, at: 0) else { return nil }
        self.init(id, text, 0)
    }

    private init(_ id: TaskID, _ text: LogText, _ start: Int) {
        self.id = id
        rest = text.from(start + id.name.utf8.count)
    }
}

/// `3:-9802`: the domain and the code of a stream's error.
struct StreamNumbers {
    let domain: Int
    let code: Int

    init?(_ text: LogText, after word: StaticString, from start: Int = 0) {
        guard let place = text.after(word, from: start), let domain = text.number(at: place) else { return nil }
        let colon = text.end(from: place) { $0.isDigit || $0 == UInt8(ascii: "-") }
        guard text[colon] == UInt8(ascii: ":"), let code = text.number(at: colon + 1) else { return nil }
        (self.domain, self.code) = (domain, code)
    }
}

extension PrintedRuling {
    /// `{strength 1, tls 8, ct 0, …}`; nil if the line contains no number.
    init?(_ text: LogText) {
        for key in Self.keys {
            guard let place = Self.value(of: key, in: text), let number = text.number(at: place) else { continue }
            values[key] = number
        }
        guard !values.isEmpty else { return nil }
    }

    /// The place after the key and its space or line end.
    private static func value(of key: String, in text: LogText) -> Int? {
        let key = Array(key.utf8)
        var place = text.find("{strength") ?? 0
        let end = text.find("}", from: place) ?? text.count
        while place < end {
            let start = text.end(from: place) { !$0.isLetter }
            let stop = text.end(from: start) { $0.isLetter }
            guard stop > start, stop <= end else { return nil }
            if text[start, stop].bytes.elementsEqual(key) { return text.skipBlanks(stop) }
            place = stop
        }
        return nil
    }
}
