import ATSPolicy
import Records
import Text

extension LoadView {
    /// A load's row in a list.
    var json: JSONValue {
        .object([
            ("id", .string(id)), ("time", .number(Int(time))), ("recording", .string(recording)),
            ("verdict", .string(verdict.rawValue)), ("method", .string(method)), ("url", .string(url)),
            ("status", .number(status)), ("tls", .text(tlsVersion)), ("host", .string(target.host)),
            ("rule", .text(complaint?.rule)), ("title", .text(complaint?.title)),
            ("observed", .text(complaint?.observed)), ("apple", .text(codes)), ("device", .string(device)),
            ("app", .text(app)), ("os", .string(os)), ("entrance", .text(entrance?.rawValue)),
            ("hello", .text(hello?.rawValue)),
            ("milliseconds", .number(milliseconds.map { Int($0) })),
            ("sent", .number(Int(bytesSent))), ("received", .number(Int(bytesReceived))),
        ])
    }
}
