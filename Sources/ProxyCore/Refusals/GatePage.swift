import ATSPolicy
import Bytes
import HTTPWire
import Records
import Text

/// One of the gate's own responses: a status, header fields for scripts, and text as HTML or JSON.
struct GatePage {
    let status: Int
    let title: String
    let sentences: [String]
    let wantsJSON: Bool
    /// The heading above the title; nil if the title is enough.
    private var headline: String?
    private var headers: [(name: String, value: String)] = []
    private var facts: [Fact] = []
    private var log: [String] = []

    /// One row of the page.
    fileprivate struct Fact {
        /// The member's name in JSON.
        let name: String
        /// The label in HTML.
        let words: String
        let value: String
        /// The URL that the value links to.
        var address: String?
    }

    init(status: Int, title: String, sentences: [String], wantsJSON: Bool) {
        self.status = status
        self.title = title
        self.sentences = sentences
        self.wantsJSON = wantsJSON
    }

    init(malformed error: WireError, wantsJSON: Bool) {
        self.init(status: error.status, title: "Malformed request", sentences: [error.sentence], wantsJSON: wantsJSON)
    }

    init(lateHead limit: Duration) {
        self.init(
            status: 408, title: "The request did not arrive in time",
            sentences: ["The request head was not complete within \(limit)."], wantsJSON: false)
    }

    /// Answers an incomplete head whose client is closed to free its descriptor.
    init(shed finding: Finding) {
        self.init(
            status: 408, title: "The request did not arrive in time", sentences: [finding.observed], wantsJSON: false)
    }

    /// The page for a blocked load: rule, Apple's error, key path, fixes, and the lines that the device would have
    /// logged.
    ///
    /// - Parameter deciding: path of the dictionary's key that decided; nil if none did.
    init(url: String, client: RecordedClient, diagnosis: RecordedDiagnosis, deciding: String?, wantsJSON: Bool) {
        let finding = diagnosis.findings.first
        self.init(
            status: 403, title: finding?.title ?? "Blocked",
            sentences: finding.map { ["Expected: \($0.expected)", "Observed: \($0.observed)"] } ?? [],
            wantsJSON: wantsJSON)
        headline = "Blocked by atsgate: App Transport Security would block this load"
        add("url", "URL", url)
        add("os", "Release", client.os)
        add("osEvidence", "Detected from", client.osEvidence)
        for note in client.osNotes { add("osNote", "Uncertain because", note) }
        if let finding {
            headers.append(("X-ATSGate-Rule", finding.rule.rawValue))
            add("rule", "Rule", finding.rule.rawValue)
            let isThere = deciding != nil && finding.keyPath == deciding
            add("keyPath", isThere ? "Deciding key" : "Would be allowed by", finding.keyPath)
        }
        if let apple = diagnosis.apple {
            let stream = apple.streamErrorCode.map { " [3:\($0)]" } ?? ""
            let error = "\(apple.domain) \(apple.code)\(stream)"
            headers.append(("X-ATSGate-Error", error))
            add("error", "A device would report", error)
            add("message", "Error message", apple.message)
            log = apple.log
        }
        if let remedy = diagnosis.remedy {
            for sentence in remedy.sentences { add("serverFix", "What to do", sentence) }
            add("exceptionFix", "Or in the app's Info.plist", remedy.exception?.sentence)
        }
        if let finding {
            let document = PublicDocument(citedFirstIn: finding.source)
            add("explanation", "Documentation", document?.name ?? finding.source, leadingTo: document?.address)
        }
    }

    /// - Parameters:
    ///   - name: the member in JSON; scripts read it.
    ///   - words: the label for people.
    private mutating func add(_ name: String, _ words: String, _ value: String?, leadingTo address: String? = nil) {
        if let value { facts.append(Fact(name: name, words: words, value: value, address: address)) }
    }

    /// Writes the status line, the head and, unless the request is HEAD, the body.
    ///
    /// - Parameter request: nil if it could not be read.
    func write(to queue: ByteQueue, answering request: RequestHead?, ends: Bool) {
        let body = body
        let form = MessageWriter.answer(head(of: body), to: request, isLast: ends, queue: queue)
        if form.framing != nil { queue.append(body) }
    }

    /// The head of an HTTP/2 response.
    var head: ResponseHead { head(of: body).response }

    var body: String { wantsJSON ? json : html }

    private func head(of body: String) -> AnswerHead {
        var fields = FieldBlock()
        fields.append(.cacheControl, "no-store")
        fields.append(.server, "atsgate")
        for header in headers { fields.append(header.name, header.value.headerSafe) }
        return AnswerHead(
            status: status, mediaType: wantsJSON ? "application/json" : "text/html; charset=utf-8",
            length: Int64(body.utf8.count), fields: fields)
    }

    private var html: String {
        var text = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">"
        text += "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
        text += "<title>atsgate: \(title.escaped)</title>"
        text += "<style>body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem}"
        text += "body,dd,pre{overflow-wrap:anywhere}dt{font-weight:600;margin-top:.5rem}dd{margin:0}"
        text +=
            "pre{white-space:pre-wrap;background:#8882;padding:1rem}:root{color-scheme:light dark}</style></head>\n<body>"
        text += "<h1>\((headline ?? title).escaped)</h1>\n"
        if headline != nil { text += "<h2>\(title.escaped)</h2>\n" }
        for sentence in sentences { text += "<p>\(sentence.escaped)</p>\n" }
        if !facts.isEmpty {
            text += "<dl>\n"
            for fact in facts { text += "<dt>\(fact.words)</dt><dd>\(fact.html)</dd>\n" }
            text += "</dl>\n"
        }
        if !log.isEmpty {
            text += "<p>The device's log would show:</p>\n<pre>\(log.map(\.escaped).joined(separator: "\n"))</pre>\n"
        }
        return text + "<p><small>This response comes from atsgate, not from the server.</small></p></body></html>\n"
    }

    private var json: String {
        var text = "{\"status\":\(status),\"title\":\(title.quoted),\"sentences\":["
        text += sentences.map(\.quoted).joined(separator: ",") + "]"
        // A name may occur more than once (two server fixes): only the first value is written.
        var seen = Set<String>()
        for fact in facts where seen.insert(fact.name).inserted { text += ",\(fact.name.quoted):\(fact.value.quoted)" }
        if !log.isEmpty { text += ",\"log\":[" + log.map(\.quoted).joined(separator: ",") + "]" }
        return text + "}\n"
    }
}

extension GatePage.Fact {
    /// The value, as a link if it has an address.
    fileprivate var html: String {
        guard let address else { return value.escaped }
        return "<a href=\"\(address.escaped)\" rel=\"noreferrer\">\(value.escaped)</a>"
    }
}

extension String {
    /// The string for HTML text and attributes.
    fileprivate var escaped: String { XMLText.escaped(self) }

    /// The string as a JSON string.
    fileprivate var quoted: String { JSONValue.string(self).text }

    /// The string without characters that could end a header line.
    fileprivate var headerSafe: String {
        String(unicodeScalars.filter { $0.value >= 0x20 && $0.value < 0x7F }.map(Character.init))
    }
}

/// The response to a load that cannot be completed, for every HTTP version.
struct ErrorAnswer {
    let status: Int
    let title: String
    let diagnosis: RecordedDiagnosis

    init(_ status: Int, _ title: String, _ diagnosis: RecordedDiagnosis) {
        self.status = status
        self.title = title
        self.diagnosis = diagnosis
    }

    init(_ status: Int, _ title: String, _ finding: Finding) {
        self.init(status, title, RecordedDiagnosis(finding))
    }

    func page(for head: RequestHead) -> GatePage {
        GatePage(
            status: status, title: title, sentences: diagnosis.findings.map(\.observed), wantsJSON: head.wantsJSON)
    }

    static func clientStalled(_ limit: Duration) -> ErrorAnswer {
        ErrorAnswer(408, "The request did not arrive in time", .clientStalled(limit))
    }

    static func brokenHandshake(_ failure: LoadFailure, _ diagnosis: RecordedDiagnosis) -> ErrorAnswer {
        ErrorAnswer(failure.gatewayStatus, "The server's TLS handshake failed", diagnosis)
    }

    static func loop(to target: LoadTarget) -> ErrorAnswer {
        ErrorAnswer(508, "This is the gate itself", .loop(target))
    }

    static func fault(_ fault: GateFault) -> ErrorAnswer {
        ErrorAnswer(500, "The gate failed", .gateFault(fault))
    }
}

extension SessionContext {
    func unreachable(_ failure: NetworkFailure, for load: Load) -> ErrorAnswer {
        ErrorAnswer(
            failure.gatewayStatus, failure.title,
            diagnosis(failure, of: load.ruled, path: load.pathText))
    }

    func unanswered(_ load: Load) -> ErrorAnswer {
        ErrorAnswer(
            504, "The server did not answer in time", diagnosis(.timeout, of: load.ruled, path: load.pathText))
    }

    /// The page for a blocked load.
    func page(refusing load: Load, for diagnosis: RecordedDiagnosis) -> GatePage {
        GatePage(
            url: load.target.origin + load.pathText, client: load.client, diagnosis: diagnosis,
            deciding: load.ruled.policy.basis?.keyPath, wantsJSON: load.head.wantsJSON)
    }
}
