import Records
import Reporting
import Testing

@Suite("Expectations of UI tests")
struct LoadExpectationTests {
    private func outcome(_ verdict: Verdict, loads: Int = 1) -> HostOutcome {
        HostOutcome(
            host: "api.example.com", rule: verdict == .allowed ? nil : "ats.cleartext-load", verdict: verdict,
            loads: loads)
    }

    @Test(
        "an expectation holds for these verdicts",
        arguments: [
            (LoadExpectation.allowed, [Verdict.allowed], true), (.allowed, [.allowed, .blocked], false),
            (.allowed, [.failed], false), (.allowed, [.wouldBlock], false), (.allowed, [], false),
            (.blocked, [.blocked], true), (.blocked, [.wouldBlock, .allowed], true), (.blocked, [.allowed], false),
            (.blocked, [.failed], false), (.blocked, [], false), (.none, [], true), (.none, [.allowed], false),
        ])
    func verdicts(expectation: LoadExpectation, verdicts: [Verdict], holds: Bool) {
        let answer = ExpectationAnswer(expectation, verdicts.map { outcome($0) })
        #expect(answer.holds == holds)
        #expect(answer.isEmpty == verdicts.isEmpty)
    }

    @Test("the sentence names the host, the number of loads and the rule")
    func sentences() {
        let answer = ExpectationAnswer(.allowed, [outcome(.blocked, loads: 2)])
        #expect(answer.sentence == "api.example.com: 2 loads blocked by ats.cleartext-load")
        #expect(ExpectationAnswer(.allowed, [outcome(.allowed, loads: 3)]).sentence == "3 loads allowed")
        #expect(ExpectationAnswer(.blocked, [outcome(.allowed)]).sentence == "1 load, none blocked")
        #expect(ExpectationAnswer(.none, []).sentence == "no load matches")
    }
}
