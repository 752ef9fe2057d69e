import ATSPolicy
import Records
import Text

/// A row of the page's groups, from the live feed or from a store.
struct GroupRow {
    let number: Int
    let key: LiveGroup.Key
    let loads: Int
    let last: Latest

    /// The shown parts of the latest load.
    struct Latest {
        let id: String
        /// Milliseconds since 1970-01-01 UTC.
        let time: Int64
        let title: String?
        let observed: String?
        /// As in `-1200 [3:-9802]`.
        let codes: String?
        let milliseconds: Int64?
        let bytesSent: Int64
        let bytesReceived: Int64
    }

    var json: JSONValue {
        .object([
            ("group", .number(number)), ("recording", .string(key.recording)),
            ("verdict", .string(key.verdict.rawValue)), ("origin", .string(key.target.origin)),
            ("host", .string(key.target.host)), ("rule", .text(key.rule)), ("title", .text(last.title)),
            ("observed", .text(last.observed)), ("apple", .text(last.codes)), ("device", .string(key.device)),
            ("app", .text(key.app)), ("os", .string(key.os)), ("entrance", .text(key.entrance?.rawValue)),
            ("hello", .text(key.hello?.rawValue)),
            ("loads", .number(loads)),
            ("last", .string(last.id)),
            ("time", .number(Int(last.time))), ("milliseconds", .number(last.milliseconds.map { Int($0) })),
            ("sent", .number(Int(last.bytesSent))), ("received", .number(Int(last.bytesReceived))),
        ])
    }
}

extension GroupRow.Latest {
    init(_ load: LiveGroup.LatestLoad) {
        self.init(
            id: load.id, time: load.time, title: load.diagnosis?.findings.first?.title,
            observed: load.diagnosis?.findings.first?.observed, codes: load.diagnosis?.apple?.codes,
            milliseconds: load.milliseconds, bytesSent: load.bytesSent, bytesReceived: load.bytesReceived)
    }

    init(_ load: LoadView) {
        self.init(
            id: load.id, time: load.time, title: load.complaint?.title, observed: load.complaint?.observed,
            codes: load.codes, milliseconds: load.milliseconds, bytesSent: load.bytesSent,
            bytesReceived: load.bytesReceived)
    }
}
