import FlyingFox
import Foundation
import Records
import Reporting
import Text

/// Loads, one by one and as reports.
struct RecordRoutes {
    let source: LoadSource
    let desk: GateDesk

    var all: [WebRoute] {
        [
            WebRoute(.GET, "/api/v1/records", .reading, list), WebRoute(.GET, "/api/v1/records/:id", .reading, one),
            WebRoute(.GET, "/api/v1/groups", .reading, groups), WebRoute(.GET, "/api/v1/report", .reading, report),
        ]
    }

    @Sendable private func list(_ call: WebCall) async throws -> HTTPResponse {
        let filter = try call.filter()
        let limit = try call.number("limit", in: 1...1000, usual: 100)
        let place = try call.number("before", in: 0...Int.max, usual: Int.max)
        let isBrief = call.query("view") == "row"
        let source = source
        return try await source.aside {
            let page = try source.page(of: filter, before: Int64(place), limit: limit)
            let records: [JSONValue] = try page.records.map { stored in
                isBrief ? LoadRow(try ReportedLoad(stored), time: stored.time).json : .json(stored.json)
            }
            return .json(
                .object([("records", .array(records)), ("next", .text(page.next.map { String($0) }))]))
        }
    }

    @Sendable private func one(_ call: WebCall) async throws -> HTTPResponse {
        let id = call.parameters["id"] ?? ""
        let isDetail = call.query("view") == "detail"
        let answer: JSONValue? = try await source.aside { [source] in
            guard let (stored, handshake) = try source.record(id: id) else { return nil }
            guard isDetail else { return .json(stored.json) }
            let picture = HandshakePicture(try ReportedLoad(stored), verdict: stored.verdict, handshake: handshake)
            return .object([("record", .json(stored.json)), ("picture", picture.json)])
        }
        guard let answer else { throw WebProblem(404, "There is no load of this id any more.") }
        return .json(answer)
    }

    @Sendable private func groups(_ call: WebCall) async throws -> HTTPResponse {
        .json(.object([("groups", .array(source.feed.groups.map(\.json)))]))
    }

    @Sendable private func report(_ call: WebCall) async throws -> HTTPResponse {
        guard let format = ReportFormat(rawValue: call.query("format") ?? "json") else {
            let names = ReportFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw WebProblem(400, "format: write one of \(names)")
        }
        let filter = try call.filter()
        let export = try await source.aside { [source, desk] in
            desk.settle()
            let declaration = try desk.reported(desk.state().declaration, filter.recordings)
            var context = ReportContext(declaration: declaration, toolVersion: desk.version)
            context.switches = desk.switches
            return try source.report(format, of: filter, context)
        }
        // Always handed over as a file: whatever is in it, it is not a page of this origin.
        var response = HTTPResponse(statusCode: .ok, body: ExportBody(export, from: source).sequence)
        response.headers[.contentType] = "application/octet-stream"
        response.headers[.contentDisposition] = "attachment; filename=\"atsgate-report.\(format.fileExtension)\""
        return response
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
        default: rawValue
        }
    }
}
