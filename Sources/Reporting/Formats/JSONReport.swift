import ATSPolicy
import Diagnosis
import Records
import Text

/// The grouped report as one JSON object: docs/report.md. Within a schema, keys may be added but not removed.
enum JSONReport {
    static func render(_ report: ReportModel, _ context: ReportContext) -> String {
        let header = report.header
        let use = context.declaration.map { DictionaryUse($0, loads: report.loads, switches: context.switches) }
        let agreement = report.agreement.isEmpty ? nil : report.agreement.json
        let members: [(String, JSONValue)] = [
            ("schema", .number(1)), ("version", .string(context.toolVersion)),
            ("recordings", .texts(header.recordings.names)),
            ("os", .texts(header.systems.names)), ("policies", .texts(header.policies.names)),
            ("first", .text(header.first)), ("last", .text(header.last)), ("loads", .number(header.loads)),
            ("verdicts", counts(header.counts)), ("judgement", judgement(report.judgement(by: context.rules), context)),
            ("devices", .array(report.devices.devices.map(device))),
            ("entrances", .array(report.entrances.map(entrance))),
            ("hosts", .array(report.hosts.map(host))), ("rules", .array(report.rules.map(rule))),
            ("groups", .array(groups(report, context))),
            ("dictionary", use.map { .array($0.parts.map(part)) } ?? .null),
        ]
        let hellos = report.hellos.json
        let some = [("agreement", agreement), ("hellos", hellos)].compactMap { key, value in value.map { (key, $0) } }
        return JSONValue.object(members + some).text + "\n"
    }

    private static func counts(_ counts: [Verdict: Int]) -> JSONValue {
        .object(ReportModel.verdicts.map { ($0.rawValue, .number(counts[$0] ?? 0)) })
    }

    /// The judgement that decides the exit code.
    private static func judgement(_ judgement: RunJudgement, _ context: ReportContext) -> JSONValue {
        .object([
            ("exitCode", .number(Int(judgement.exitStatus))), ("failOn", .string(context.rules.failOn.rawValue)),
            ("baseline", .text(context.rules.baselineFile)), ("new", .number(judgement.loads(.fails))),
            ("known", .number(judgement.loads(.known))), ("nothingJudged", .text(judgement.nothingJudged?.sentence)),
        ])
    }

    private static func groups(_ report: ReportModel, _ context: ReportContext) -> [JSONValue] {
        let judgements = Dictionary(
            report.cases(by: context.rules).map { ($0.key, $0.judgement) }
        ) { first, _ in first }
        return report.sorted.map { group in
            self.group(group, judgements[ReportCase.Key(host: group.host, rule: group.key.rule)])
        }
    }

    private static func device(_ device: DeviceList.Device) -> JSONValue {
        .object([
            ("label", .text(device.label)), ("os", .string(device.os)), ("osEvidence", .text(device.osEvidence)),
            ("loads", .number(device.loads)), ("verdicts", counts(device.counts)),
        ])
    }

    private static func entrance(_ entrance: ReportTally) -> JSONValue {
        .object([
            ("entrance", .string(entrance.name)), ("loads", .number(entrance.loads)),
            ("verdicts", counts(entrance.counts)),
        ])
    }

    private static func host(_ host: ReportTally) -> JSONValue {
        .object([
            ("host", .string(host.name)), ("loads", .number(host.loads)), ("verdicts", counts(host.counts)),
            ("rules", .texts(host.others)),
        ])
    }

    private static func rule(_ rule: ReportTally) -> JSONValue {
        .object([
            ("rule", .string(rule.name)), ("loads", .number(rule.loads)), ("verdicts", counts(rule.counts)),
            ("hosts", .texts(rule.others)),
        ])
    }

    private static func group(_ group: ReportRow, _ judgement: Judgement?) -> JSONValue {
        .object([
            ("verdict", .string(group.key.verdict.rawValue)), ("judgement", .text(judgement?.rawValue)),
            ("loads", .number(group.loads)),
            ("host", .string(group.host)),
            ("origin", .string(group.key.origin)), ("rule", .text(group.key.rule)), ("apple", .text(group.key.codes)),
            ("shown", .text(group.shown)),
            ("deciding", .text(group.key.deciding)), ("observed", .text(group.observed)),
            ("expected", .text(group.first.findings.first?.expected)),
            ("confidence", .text(group.confidence)), ("also", .texts(group.alsoRules)),
            ("serverFix", .text(group.serverFix)), ("exceptionFix", .text(group.exceptionFix)),
            ("tlsVersion", .text(group.tlsVersion)), ("cipherSuite", .text(group.first.origin?.facts?.suite.name)),
            ("refusal", .text(group.first.refusal?.rawValue)), ("url", .string(group.url)),
            ("urls", .number(group.urlCount)),
            ("first", .string(RecordTime.text(milliseconds: group.span.first))),
            ("last", .string(RecordTime.text(milliseconds: group.span.last))),
        ])
    }

    private static func part(_ part: DictionaryUse.Part) -> JSONValue {
        .object([
            ("key", .string(part.name)), ("isEntry", .flag(part.isEntry)), ("line", .number(part.line)),
            ("served", .number(part.served)), ("needed", .number(part.needed)),
            ("undecided", .number(part.undecided)), ("hosts", .texts(part.hosts)),
            ("rules", .texts(part.rules.map(\.rawValue))), ("unused", .text(part.why)),
        ])
    }
}
