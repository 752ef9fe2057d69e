import Records
import Text

/// The grouped report as one JSON object. Its keys are described in docs/report.md and stay.
enum JSONReport {
    static func render(_ report: ReportModel) -> String {
        let header = report.header
        return JSONValue.object([
            ("schema", .number(1)), ("recordings", .texts(header.recordings.names)),
            ("os", .texts(header.systems.names)), ("policies", .texts(header.policies.names)),
            ("first", .text(header.first)), ("last", .text(header.last)), ("loads", .number(header.loads)),
            ("verdicts", .object(ReportModel.verdicts.map { ($0.rawValue, .number(header.counts[$0] ?? 0)) })),
            ("groups", .array(report.sorted.map(group))),
        ]).text + "\n"
    }

    private static func group(_ group: LoadGroup) -> JSONValue {
        .object([
            ("verdict", .string(group.key.verdict.rawValue)), ("loads", .number(group.loads)),
            ("origin", .string(group.key.origin)), ("rule", .text(group.key.rule)), ("apple", .text(group.key.codes)),
            ("deciding", .text(group.key.deciding)), ("observed", .text(group.observed)),
            ("confidence", .text(group.confidence)), ("also", .texts(group.alsoRules)),
            ("serverFix", .text(group.serverFix)), ("exceptionFix", .text(group.exceptionFix)),
            ("tlsVersion", .text(group.tlsVersion)), ("url", .string(group.url)),
        ])
    }
}
