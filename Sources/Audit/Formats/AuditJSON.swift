import ATSPolicy
import Diagnosis
import Text

/// An audit as one JSON object; `docs/audit.schema.json` describes it.
struct AuditJSON {
    let page: AuditPage

    private var report: AuditReport { page.report }

    var text: String {
        JSONValue.object([
            ("schema", .number(1)), ("version", .string(page.toolVersion)), ("path", .string(report.path)),
            ("sha256", .string(report.digest)), ("date", .string(page.date)), ("system", .string(report.profile.name)),
            ("grade", .string(report.grade.rawValue)), ("headline", .string(report.headline)),
            ("executables", .array(report.executables.map(executable))), ("hosts", .array(report.hosts.map(host))),
            (
                "noise",
                .array(
                    report.noise.map { noise in
                        .object([
                            ("kind", .string(noise.kind.rawValue)), ("host", .string(noise.row.host)),
                            ("url", .text(noise.row.url)), ("found", .array(noise.row.found.map(place))),
                        ])
                    })
            ),
            (
                "templates",
                .array(
                    report.templates.map { .object([("url", .text($0.url)), ("found", .array($0.found.map(place)))]) })
            ),
            ("remarks", .texts(report.remarks)), ("coverage", coverage), ("keys", keys), ("diff", diff),
        ]).text + "\n"
    }

    private func executable(_ executable: AuditedExecutable) -> JSONValue {
        let system = executable.system
        return .object([
            ("path", .string(executable.path)), ("bundleID", .text(executable.bundleID)),
            ("kind", .string(executable.kind.rawValue)), ("grade", .string(executable.grade.rawValue)),
            ("gradeReason", .string(executable.gradeReason)), ("dictionary", .texts(executable.dictionary)),
            ("minimumOS", .text(system.minimumOS)),
            ("linkedSDK", .text(system.linkedSDK.map { "\($0.platform.title) \($0.version)" })),
            ("architectures", .texts(system.architectures)), ("encrypted", .flag(system.isEncrypted)),
            ("consequences", .texts(system.consequences)),
            (
                "justifications",
                .array(
                    executable.questions.map {
                        .object([
                            ("key", .string($0.key)), ("hosts", .texts($0.hosts)), ("draft", .string($0.sample)),
                        ])
                    })
            ),
            (
                "pins",
                .array(
                    executable.pins.map {
                        .object([
                            ("name", .string($0.name)), ("place", .string($0.place)), ("words", .string($0.words)),
                            ("expires", .text($0.date)),
                        ])
                    })
            ),
            ("findings", .array(executable.findings.map(finding))),
        ])
    }

    private func finding(_ finding: AuditFinding) -> JSONValue {
        .object([
            ("rule", .string(finding.rule)), ("severity", .string(finding.severity.rawValue)),
            ("message", .string(finding.sentence)), ("subject", .string(finding.subject)),
            ("file", .string(finding.file)), ("line", .number(finding.line)),
            ("confidence", .string(finding.confidence.rawValue)), ("source", .string(finding.source)),
        ])
    }

    private func host(_ host: AuditedHost) -> JSONValue {
        .object([
            ("host", .string(host.row.host)), ("scheme", .text(host.row.scheme?.rawValue)),
            ("port", .number(host.row.key.port)), ("url", .text(host.row.url)),
            ("found", .array(host.row.found.map(place))), ("morePlaces", .number(host.row.morePlaces)),
            (
                "ruling",
                .object([
                    ("app", .string(HostRuling.value(host.ruling.app))),
                    ("web", .string(HostRuling.value(host.ruling.web))),
                    ("media", .string(HostRuling.value(host.ruling.media))),
                ])
            ),
            ("local", .flag(host.isLocal)), ("loaded", .number(host.loads)),
            (
                "probe",
                host.probe.map {
                    .object([("result", .string($0.result.rawValue)), ("words", .string($0.words))])
                } ?? .null
            ),
        ])
    }

    private func place(_ place: FoundPlace) -> JSONValue {
        .object([("file", .string(place.file)), ("part", .text(place.part))])
    }

    private var coverage: JSONValue {
        guard let coverage = report.coverage else { return .null }
        return .object([
            ("recording", .string(coverage.recording)), ("hosts", .number(coverage.hosts)),
            ("loaded", .number(coverage.loaded)), ("percent", .number(coverage.percent)),
            ("neverLoaded", .texts(coverage.neverLoaded)),
            (
                "notInApp",
                .array(coverage.notInApp.map { .object([("host", .string($0.host)), ("loads", .number($0.loads))]) })
            ),
        ])
    }

    private var keys: JSONValue {
        guard let origins = report.keyOrigins else { return .null }
        return .array(
            origins.map { origin in
                .object([
                    ("executable", .string(origin.executable)), ("keyPath", .string(origin.keyPath)),
                    ("line", .number(origin.line)),
                    (
                        "writers",
                        .array(
                            origin.writers.map {
                                .object([
                                    ("name", .string($0.name)), ("source", .string($0.source)),
                                    ("inApp", .flag($0.isInApp)),
                                ])
                            })
                    ),
                ])
            })
    }

    private var diff: JSONValue {
        guard let diff = page.diff else { return .null }
        return .object([
            ("old", .string(diff.old)), ("posture", .texts(diff.posture)),
            (
                "dictionaries",
                .array(
                    diff.dictionaries.map {
                        .object([("executable", .string($0.executable)), ("text", .string($0.text))])
                    })
            ),
            ("addedHosts", .texts(diff.addedHosts)), ("removedHosts", .texts(diff.removedHosts)),
            ("changedHosts", .texts(diff.changedHosts)),
        ])
    }
}
