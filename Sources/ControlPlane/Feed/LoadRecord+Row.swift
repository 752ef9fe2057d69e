import ATSPolicy
import Records
import Reporting
import Text

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
