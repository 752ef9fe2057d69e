import ATSPolicy
import Diagnosis
import HTTPWire
import Records
import Reporting
import Text

extension WebRoute {
    /// What a UI test asserts of the loads that it has caused.
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
            return .json(claim.answer(try source.hosts(filter), by: interface.rules))
        }
    }
}

/// What is claimed of some loads: that a device refuses none of them, or that it refuses some by exactly these rules.
private struct Claim: Decodable {
    /// A pattern; nil for every host.
    var host: String?
    var since: String?
    /// nil for the current one.
    var recording: String?
    /// Rules by which loads are refused, no more and no less; empty or nil for none.
    var rules: [String]?
    /// No load at all is fine, too. Otherwise it fails the claim: a test that loads nothing shows nothing.
    var allowNone: Bool?

    /// A rule that does not exist would never be missed by who wrote it into a test that is red for another reason.
    ///
    /// - Throws: ``WebProblem`` with 400 that names it.
    func check() throws(WebProblem) {
        let ids = RuleID.allCases.map(\.rawValue)
        guard let unknown = rules?.first(where: { !ids.contains($0) }) else { return }
        let hint = unknown.nearest(among: ids).map { "; did you mean \($0)?" } ?? ""
        throw WebProblem(400, "\"\(unknown.printable)\" is no rule\(hint)")
    }

    func answer(_ hosts: [HostOutcome], by rules: JudgementRules) -> JSONValue {
        var rules = rules
        rules.needsLoads = allowNone != true
        let refused = hosts.filter { rules.compared.counts($0.verdict) }
        let expected = Set(self.rules ?? [])
        let found = Set(refused.map { $0.rule ?? "" })
        let loads = hosts.reduce(0) { $0 + $1.loads }
        let missing = expected.subtracting(found).sorted()
        let unexpected = refused.filter { trouble in
            !expected.contains(trouble.rule ?? "")
                && rules.judgement(host: trouble.host, rule: trouble.rule, [trouble.verdict]) == .fails
        }
        var sentences = unexpected.map { "\($0.host): \($0.loads) refused by \($0.rule ?? "no rule")" }
        sentences += missing.map { "nothing was refused by \($0)" }
        if let nothing = RunJudgement(hosts, by: rules).nothingJudged {
            sentences.append(nothing == .noLoads ? "no load was seen" : nothing.sentence)
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
