import Foundation
import HTTPWire
import Records
import Reporting
import Text

/// The recordings: their list, the start of a new one, changes and comparisons.
struct RecordingRoutes {
    let source: LoadSource
    let interface: GateInterface

    var all: [WebRoute] {
        [
            WebRoute(.get, "/api/v1/recordings", .reading, list),
            WebRoute(.post, "/api/v1/recordings", .changing, start),
            WebRoute(.get, "/api/v1/recordings/diff", .reading, diff),
            WebRoute(.patch, "/api/v1/recordings/:name", .changing, rename),
            WebRoute(.delete, "/api/v1/recordings/:name", .changing, delete),
        ]
    }

    @Sendable private func list(_ call: WebCall) throws -> WebAnswer {
        let all = try source.allRecordings()
        let rows = all.answer.map { recording in
            JSONValue.object([
                ("name", .string(recording.name)), ("loads", .number(recording.loads)),
                ("first", .number(Int(recording.first))), ("last", .number(Int(recording.last))),
            ])
        }
        return .json(
            .object([
                ("current", .string(interface.state().recording)), ("recordings", .array(rows)),
                ("mayChange", .flag(source.storePath != nil && source.shared == nil)), ("note", .text(all.note)),
            ]))
    }

    private struct Name: Decodable {
        let name: String
        /// True if the name must not exist yet.
        var new: Bool?

        func checked() throws(WebProblem) -> String {
            guard !name.isEmpty, name.utf8.count <= nameLimitBytes, name.printable == name else {
                throw WebProblem(400, "The name of a recording must be 1 to \(nameLimitBytes) bytes of plain text.")
            }
            return name
        }
    }

    @Sendable private func start(_ call: WebCall) throws -> WebAnswer {
        let asked = try call.decoded(Name.self, shape: #"{"name": "checkout"}"#, members: ["name", "new"])
        let name = try asked.checked()
        if asked.new == true { try refuseTaken(name) }
        try interface.startRecording(name)
        let time = Int64(Date().timeIntervalSince1970 * 1000)
        source.feed.show(Notice(.recording, time: time, "now recording to \(name)"))
        return .json(.object([("current", .string(name))]))
    }

    private func refuseTaken(_ name: String) throws {
        let isTaken = try source.reader().recordings().contains { $0.name == name }
        guard !isTaken, name != interface.state().recording else {
            throw WebProblem(409, "A recording named \(name) already exists.")
        }
    }

    // MARK: - Changes of the store

    @Sendable private func rename(_ call: WebCall) throws -> WebAnswer {
        let name = try call.decoded(Name.self, shape: #"{"name": "checkout"}"#, members: ["name"]).checked()
        let (old, editor) = try editable(call)
        try refuseTaken(name)
        try editor.rename(old, to: name)
        return .json(.object([("name", .string(name))]))
    }

    @Sendable private func delete(_ call: WebCall) throws -> WebAnswer {
        let (name, editor) = try editable(call)
        return .json(.object([("loads", .number(try editor.delete([name]).loads))]))
    }

    /// The recording that a call names, if it may be changed.
    private func editable(_ call: WebCall) throws -> (name: String, editor: StoreEditor) {
        let name = call.parameters["name"] ?? ""
        guard let path = source.storePath else { throw WebProblem(409, "This gate stores no loads (--store none).") }
        guard source.shared == nil else {
            throw WebProblem(409, "The store is shared. Use atsgate recordings, with a maintainer's login.")
        }
        interface.settle()
        guard try source.reader().recordings().contains(where: { $0.name == name }) else {
            throw WebProblem(404, "No recording is named \(name).")
        }
        guard name != interface.state().recording else {
            throw WebProblem(409, "\(name) is the current recording. Start another one first.")
        }
        return (name, try StoreEditor(path: path))
    }

    @Sendable private func diff(_ call: WebCall) throws -> WebAnswer {
        try call.checkQuery(["before", "after"])
        guard let before = call.query("before"), let after = call.query("after") else {
            throw WebProblem(400, "Name two recordings: before and after.")
        }
        interface.settle()
        let hosts = try [before, after].map { name in
            try source.asking([name], .whole) { try $0.reader().hosts(matching: RecordFilter(recording: name)) }
        }
        let diff = RecordingDiff((before, hosts[0].answer), (after, hosts[1].answer))
        return .json(
            .object([
                ("before", .string(before)), ("after", .string(after)), ("same", .number(diff.same)),
                ("hosts", .array(diff.hosts)), ("note", .text(hosts[0].note ?? hosts[1].note)),
            ]))
    }
}

private let nameLimitBytes = 200
