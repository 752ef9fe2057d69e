import Foundation
import HTTPWire
import Records
import Reporting
import Text

/// The named runs.
struct RecordingRoutes {
    let source: LoadSource
    let desk: GateDesk

    var all: [WebRoute] {
        [
            WebRoute(.get, "/api/v1/recordings", .reading, list),
            WebRoute(.post, "/api/v1/recordings", .changing, start),
            WebRoute(.get, "/api/v1/recordings/diff", .reading, diff),
        ]
    }

    @Sendable private func list(_ call: WebCall) throws -> WebAnswer {
        let rows = try source.recordings().map { recording in
            JSONValue.object([
                ("name", .string(recording.name)), ("loads", .number(recording.loads)),
                ("first", .number(Int(recording.first))), ("last", .number(Int(recording.last))),
            ])
        }
        return .json(.object([("current", .string(desk.state().recording)), ("recordings", .array(rows))]))
    }

    private struct Name: Decodable {
        let name: String
    }

    @Sendable private func start(_ call: WebCall) throws -> WebAnswer {
        let name = try call.decoded(Name.self, shape: #"{"name": "checkout"}"#).name
        guard !name.isEmpty, name.utf8.count <= nameLimitBytes, name.printable == name else {
            throw WebProblem(400, "A recording needs a name of 1 to \(nameLimitBytes) bytes in plain text.")
        }
        try desk.startRecording(name)
        let time = Int64(Date().timeIntervalSince1970 * 1000)
        source.feed.tell(Notice(.recording, time: time, "loads are filed under \(name) from now on"))
        return .json(.object([("current", .string(name))]))
    }

    @Sendable private func diff(_ call: WebCall) throws -> WebAnswer {
        guard let before = call.query("before"), let after = call.query("after") else {
            throw WebProblem(400, "Name two recordings: before and after.")
        }
        desk.settle()
        let diff = RecordingDiff(
            (before, try source.hosts(RecordFilter(recording: before))),
            (after, try source.hosts(RecordFilter(recording: after))))
        let rows = diff.jsonLines.split(separator: "\n").map { JSONValue.json(String($0)) }
        return .json(
            .object([
                ("before", .string(before)), ("after", .string(after)), ("same", .number(diff.same)),
                ("hosts", .array(rows)),
            ]))
    }
}

private let nameLimitBytes = 200
