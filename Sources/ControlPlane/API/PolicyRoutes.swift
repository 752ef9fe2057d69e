import ATSPolicy
import Declarations
import Diagnosis
import HTTPWire
import Records
import Reporting
import Text

/// The dictionary, the use of its keys, and what-if questions about other dictionaries.
struct PolicyRoutes {
    let source: LoadSource
    let interface: GateInterface

    var all: [WebRoute] {
        [
            WebRoute(.get, "/api/v1/policy", .reading, show), WebRoute(.put, "/api/v1/policy", .changing, replace),
            WebRoute(.post, "/api/v1/what-if", .reading, whatIf),
        ]
    }

    @Sendable private func show(_ call: WebCall) throws -> WebAnswer {
        try call.checkQuery(["recording"])
        let state = interface.state()
        let filter = RecordFilter(recording: call.query("recording") ?? state.recording)
        let asked = try source.asking(filter.recordings, .whole) { source in
            let declaration = try interface.reported(state.declaration, filter.recordings, source.other)
            var loads: [LoadGroup] = []
            try source.reader().forEachGroup(matching: filter) { loads.append($0) }
            return (declaration, loads)
        }
        let use = DictionaryUse(
            asked.answer.0, loads: asked.answer.1, switches: interface.switches, appTrust: interface.appTrust)
        let declaration = state.declaration
        let problems = interface.problems()
        return .json(
            .object([
                ("source", .text(declaration.source)), ("bundleID", .text(declaration.bundleID)),
                ("mayReplace", .flag(interface.enforce != nil)),
                ("dictionary", .string(PropertyListText.document(declaration.members))),
                ("remarks", .texts((problems?.remarks ?? []) + declaration.notes)),
                ("problems", problems.map(json) ?? .null), ("keys", .array(use.parts.map(json))),
                ("note", .text(asked.scopeNote)),
            ]))
    }

    private func json(_ problems: GateInterface.Problems) -> JSONValue {
        .object([
            ("errors", .number(problems.errors)), ("warnings", .number(problems.warnings)),
            ("command", .text(problems.command)),
        ])
    }

    private func json(_ part: DictionaryUse.Part) -> JSONValue {
        .object([
            ("name", .string(part.name)), ("isEntry", .flag(part.isEntry)), ("line", .number(part.line)),
            ("text", .string(PropertyListText.fragment(part.node))), ("served", .number(part.served)),
            ("needed", .number(part.needed)), ("undecided", .number(part.undecided)), ("hosts", .texts(part.hosts)),
            ("rules", .texts(part.rules.map(\.rawValue))), ("why", .text(part.why)),
        ])
    }

    @Sendable private func replace(_ call: WebCall) throws -> WebAnswer {
        guard let enforce = interface.enforce else {
            throw WebProblem(403, "To replace the dictionary from here, start atsgate with --allow-policy-upload.")
        }
        let declaration = try Self.parse(call.body, source: "uploaded from the page")
        try enforce(declaration)
        return .json(.object([("remarks", .texts(Linter().lint(declaration).remarks))]))
    }

    // MARK: - What if

    private struct Question: Decodable {
        /// nil for the dictionary in force.
        var dictionary: String?
        /// The release; nil for each load's own.
        var os: String?
        /// nil for the current recording.
        var recording: String?
    }

    @Sendable private func whatIf(_ call: WebCall) throws -> WebAnswer {
        let question = try call.decoded(
            Question.self, shape: #"{"dictionary": "<plist>...", "os": "ios17", "recording": "checkout"}"#,
            members: ["dictionary", "os", "recording"])
        let asked =
            try question.dictionary.map { try Self.parse(Array($0.utf8), source: Self.edited) }
            ?? interface.state().declaration
        let system = try question.os.map { name throws(WebProblem) in try WebCall.profile(name) }
        let recording = question.recording ?? interface.state().recording
        interface.settle()
        let replay = try source.asking([recording], .whole) { source in
            let declaration = try interface.reported(asked, [recording], source.other)
            var replays = SystemReplays(
                declaration, switches: interface.switches, appTrust: interface.appTrust,
                systems: system.map { [$0] } ?? [])
            try source.reader().forEachGroup(matching: RecordFilter(recording: recording)) { replays.add($0) }
            let policy = question.dictionary == nil ? declaration.source : Self.savedName
            return replays.all.map { ReplayWords($0, recording: recording, policy: policy).json }
        }
        return .json(
            .object([
                ("recording", .string(recording)), ("remarks", .texts(Linter().lint(asked).remarks)),
                ("systems", .array(replay.answer.map { .json($0) })), ("note", .text(replay.note)),
            ]))
    }

    /// The name of a dictionary that a client sent to be tried.
    private static let edited = "the edited dictionary"
    /// The file that commands name for it. The page shows that the user must save it.
    private static let savedName = "edited.plist"

    private static func parse(_ bytes: [UInt8], source: String) throws(WebProblem) -> Declaration {
        do throws(DeclarationError) {
            return try DeclarationReader.parse(bytes, source: source)
        } catch {
            throw WebProblem(422, "\(error)")
        }
    }
}
