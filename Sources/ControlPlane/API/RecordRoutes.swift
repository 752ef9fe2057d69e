import ATSPolicy
import Diagnosis
import HTTPWire
import Records
import Reporting
import Synchronization
import Text

/// Loads, one by one and as reports.
struct RecordRoutes {
    let source: LoadSource
    let interface: GateInterface

    var all: [WebRoute] {
        [
            WebRoute(.get, "/api/v1/records", .reading, list), WebRoute(.get, "/api/v1/records/:id", .reading, one),
            WebRoute(.get, "/api/v1/groups", .reading, groups),
            WebRoute(.get, "/api/v1/report", .reading, report),
        ]
    }

    @Sendable private func list(_ call: WebCall) throws -> WebAnswer {
        let filter = try call.filter(and: "before", "limit", "view")
        let limit = try call.number("limit", in: 1...1000, usual: 100)
        let place = try call.query("before").map { text in
            guard let place = StorePosition(text) else {
                throw WebProblem(400, "before: use the value of next from the previous answer")
            }
            return place
        }
        let isBrief = call.query("view") == "row"
        // A search must also find loads that have just ended.
        if !filter.search.isEmpty { interface.settle() }
        let asked = try source.sharedPage(of: filter, before: place, limit: limit)
        let page = asked.answer
        let records = page.records.map { isBrief ? $0.row(found: filter.search) : .json(RecordJSON.text($0)) }
        return .json(
            .object([
                ("records", .array(records)), ("next", .text(page.next?.description)), ("note", .text(asked.note)),
            ]))
    }

    @Sendable private func one(_ call: WebCall) throws -> WebAnswer {
        try call.checkQuery(["view"])
        guard let record = try source.record(id: call.parameters["id"] ?? "") else {
            throw WebProblem(404, "No load has this id; it may have been deleted.")
        }
        let json = JSONValue.json(RecordJSON.text(record))
        guard call.query("view") == "detail" else { return .json(json) }
        return .json(.object([("record", json), ("picture", HandshakePicture(record).json)]))
    }

    /// The page's groups since the start; with a filter, the groups of the matching loads.
    @Sendable private func groups(_ call: WebCall) throws -> WebAnswer {
        let filter = try call.filter()
        guard filter != RecordFilter() else {
            return .json(
                .object([("groups", .array(source.feed.groups.map(\.json))), ("note", .text(source.scopeNote))]))
        }
        interface.settle()
        let asked = try source.asking(filter.recordings) { try $0.reader().similarLoads(matching: filter) }
        let groups = LiveGroup.groups(of: asked.answer, found: filter.search, limit: Self.mostGroups)
        return .json(.object([("groups", .array(groups.map(\.json))), ("note", .text(asked.scopeNote))]))
    }

    /// The limit of groups in an answer. The loads of further groups are still listed by `records`.
    private static let mostGroups = 4_096

    @Sendable private func report(_ call: WebCall) throws -> WebAnswer {
        guard let format = ReportFormat(rawValue: call.query("format") ?? "json") else {
            let names = ReportFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw WebProblem(400, "format: write one of \(names)")
        }
        var filter = try call.filter(and: "format", "redact")
        let names = try redaction(call)
        // Like `verify`: recordings of different modes are not judged together.
        if filter.recordings.isEmpty { filter.recordings = [interface.state().recording] }
        interface.settle()
        let asked = try source.asking(filter.recordings, .whole) { source in
            let declaration = try interface.reported(interface.state().declaration, filter.recordings, source.other)
            var context = ReportContext(declaration: declaration, toolVersion: interface.version)
            context.rules = interface.rules
            context.switches = interface.switches
            guard let names, let masked = interface.masked else {
                return try source.report(format, of: filter, context)
            }
            context.declaration = names.declaration(declaration)
            context.rules = context.rules.renamed(names.host, file: names.file)
            let loads = try source.reader().hosts(matching: filter).reduce(0) { $0 + $1.loads }
            guard loads <= Self.mostRedacted else {
                let command = "atsgate report --format \(format.rawValue) --redact"
                throw WebProblem(413, "More than \(Self.mostRedacted) loads take too long to redact. Use \(command).")
            }
            let copy = source.with(try masked(source.reader(), filter, names))
            return try copy.report(format, of: RecordFilter(), context)
        }
        // A file could not show that it covers one gate only. A login without read access has no other loads.
        switch asked.trouble {
        case nil, .notAllowed: break
        case let trouble?: throw WebProblem(503, "\(trouble)")
        }
        let export = asked.answer
        // Always a download: its content must never be shown as a page of this origin.
        var answer = WebAnswer("application/octet-stream", body: export.body)
        answer.fields.append(
            "Content-Disposition", "attachment; filename=\"atsgate-report.\(format.fileExtension)\"")
        return answer
    }

    /// The limit of loads in a redacted report, because a browser waits for it: masking 200,000 loads took 67 s.
    private static let mostRedacted = 100_000

    /// The mask for names of a redacted report, with tokens of its own; nil if it is not requested.
    private func redaction(_ call: WebCall) throws(WebProblem) -> NameMask? {
        switch call.query("redact") {
        case nil, "false": return nil
        case "true" where interface.masked != nil: return .everything(key: KeyedHash())
        case "true": throw WebProblem(409, "This gate cannot redact reports.")
        default: throw WebProblem(400, "redact: write true or false")
        }
    }
}

extension LoadSource.Export {
    /// Formats with a row for each load are streamed, so their memory does not grow with the number of loads. All
    /// others are complete before the first byte; they grow with the number of distinct loads.
    fileprivate var body: WebBody {
        guard let rest else { return .bytes(first[...]) }
        let beginning = Mutex<[UInt8]?>(first)
        return .pieces {
            if let piece = beginning.withLock({ $0.take() }) { return piece }
            return try rest.next()
        }
    }
}

extension ReportFormat {
    fileprivate var fileExtension: String {
        switch self {
        case .text: "txt"
        case .markdown: "md"
        case .junit: "xml"
        case .csvLoads: "csv"
        case .github: "txt"
        case .gitlab: "json"
        case .html, .json, .jsonl, .csv, .har, .sarif: rawValue
        }
    }
}

extension LoadRecord {
    /// A load's row in a list.
    ///
    /// - Parameter search: the words that found it.
    func row(found search: LoadSearch = LoadSearch()) -> JSONValue {
        let (client, finding) = (self.client, self.findings.first)
        return .object([
            ("id", .string(self.id)), ("time", .number(Int(self.time))), ("recording", .string(self.recording)),
            ("verdict", .string(self.verdict.rawValue)), ("method", .string(self.load.method)),
            ("url", .string(self.load.url)), ("status", .number(self.status)),
            ("tls", .text(self.origin?.facts?.version.name)), ("host", .string(self.load.target.host)),
            ("rule", .text(finding?.rule.rawValue)), ("title", .text(finding?.title)),
            ("observed", .text(finding?.observed)), ("apple", .text(self.apple?.codes)),
            ("device", .string(client.device)), ("app", .text(client.app)), ("os", .string(client.os)),
            ("entrance", .string(client.wayIn.rawValue)), ("hello", .text(client.hello?.reads.rawValue)),
            ("milliseconds", .number(Int(self.timing.total / 1000))),
            ("sent", .number(Int(self.bytesSent))), ("received", .number(Int(self.bytesReceived))),
            ("found", .text(match(of: search))),
        ])
    }

    /// The field that a search found and that no column of a list shows; nil if there is none.
    func match(of search: LoadSearch) -> String? {
        guard !search.isEmpty else { return nil }
        let (client, finding) = (self.client, self.findings.first)
        let columns: [String?] = [
            self.load.url, self.load.target.host, self.load.method, self.status.map { String($0) },
            finding?.rule.rawValue, finding?.title,
            self.apple?.codes, client.device, client.app, client.os,
        ]
        return search.match(in: self, beyond: columns)
    }
}
