import ATSPolicy
import Diagnosis
import HTTPWire
import Records
import Reporting
import Text

extension WebRoute {
    /// Checks an assertion of a UI test about the loads that it caused.
    static func verify(_ source: LoadSource, _ interface: GateInterface) -> WebRoute {
        WebRoute(.post, "/api/v1/verify", .reading) { call in
            let claim = try call.decoded(
                Claim.self, shape: #"{"host": "*.example.com", "since": "2026-02-03T04:05:06Z", "rules": []}"#,
                members: ["host", "since", "recording", "rules", "allowNone"])
            try claim.check()
            var filter = RecordFilter(recording: claim.recording ?? interface.state().recording)
            filter.hosts = try WebCall.hosts(claim.host.map { [$0] } ?? [])
            filter.since = try WebCall.time(claim.since, "since")
            interface.settle()
            return .json(claim.answer(try source.reader().hosts(matching: filter), by: interface.rules))
        }
    }
}

/// A claim about some loads: that a device blocks none of them, or blocks some by exactly these rules.
private struct Claim: Decodable {
    /// A pattern; nil for every host.
    var host: String?
    var since: String?
    /// nil for the current recording.
    var recording: String?
    /// The rules by which loads are blocked, no more and no fewer; empty or nil if none are.
    var rules: [String]?
    /// True if no loads at all is acceptable. By default it fails: a test without loads proves nothing.
    var allowNone: Bool?

    /// Rejects rule ids that do not exist: a test that fails for another reason would hide the typing error.
    ///
    /// - Throws: ``WebProblem`` with 400 that names the id.
    func check() throws(WebProblem) {
        let ids = RuleID.allCases.map(\.rawValue)
        guard let unknown = rules?.first(where: { !ids.contains($0) }) else { return }
        let hint = unknown.nearest(among: ids).map { "; did you mean \($0)?" } ?? ""
        throw WebProblem(400, "\"\(unknown.printable)\" is not a rule\(hint)")
    }

    func answer(_ hosts: [HostOutcome], by rules: JudgementRules) -> JSONValue {
        var rules = rules
        rules.needsLoads = allowNone != true
        let refused = hosts.filter { rules.compared.counts($0.verdict, rule: $0.rule) }
        let expected = Set(self.rules ?? [])
        let found = Set(refused.map { $0.rule ?? "" })
        let loads = hosts.reduce(0) { $0 + $1.loads }
        let missing = expected.subtracting(found).sorted()
        let unexpected = refused.filter { trouble in
            !expected.contains(trouble.rule ?? "")
                && rules.judgement(host: trouble.host, rule: trouble.rule, [trouble.verdict]) == .fails
        }
        var sentences = unexpected.map {
            "\($0.host): \($0.loads) \($0.isViolation ? "blocked" : "refused") by \($0.rule ?? "no rule")"
        }
        sentences += missing.map { "no load was blocked by \($0)" }
        if let nothing = RunJudgement(hosts, by: rules).nothingJudged {
            sentences.append(nothing == .noLoads ? "no loads were seen" : nothing.sentence)
        }
        return .object([
            ("passed", .flag(sentences.isEmpty)), ("loads", .number(loads)),
            ("refused", .number(refused.reduce(0) { $0 + $1.loads })),
            (
                "unexpected",
                .array(
                    unexpected.map { trouble in
                        .object([
                            ("host", .string(trouble.host)), ("rule", .text(trouble.rule)),
                            ("loads", .number(trouble.loads)),
                        ])
                    })
            ),
            ("missing", .texts(missing)), ("sentences", .texts(sentences)),
        ])
    }
}
