import ATSPolicy
import Records
import Reporting
import Testing

@Suite("the gate's predictions compared with the devices' behaviour")
struct DeviceAgreementTests {
    private func load(
        _ host: String, _ verdict: Verdict, _ device: RecordedDevice?, client: String = "192.0.2.1:5000",
        agent: String? = nil,
        rule: RuleID? = nil
    ) -> LoadRecord {
        let target = LoadTarget(scheme: .https, host: host, port: 443)
        let policy = RecordedPolicy(source: nil, bundleID: nil, os: "ios26.4", basis: nil, mode: "witness")
        var record = LoadRecord(
            time: 0, recording: "r",
            client: RecordedClient(address: client, label: nil, userAgent: agent, loader: .app, os: "ios26.4"),
            load: RecordedRequest(method: "CONNECT", path: "/", target: target, wireProtocol: .tunnel), policy: policy,
            verdict: verdict)
        record.device = device
        let finding = rule.map {
            Finding(
                rule: $0, title: "t", keyPath: nil, expected: "e", observed: "o", confidence: .observed, source: "6.6")
        }
        if let finding { record.diagnosis = RecordedDiagnosis(findings: [finding], apple: nil, remedy: nil) }
        return record
    }

    private let accepted = RecordedDevice(.accepted, how: "application-data", confidence: .observed)
    private let refused = RecordedDevice(.refused, how: "sealed-alert", confidence: .inferred)
    private let unknown = RecordedDevice(.unknown, how: "no-hello", confidence: .observed)

    private func agreement(_ loads: [LoadRecord]) -> DeviceAgreement {
        var agreement = DeviceAgreement()
        for load in loads { agreement.add(load) }
        return agreement
    }

    @Test(
        "each combination of verdict and outcome has an answer",
        arguments: [
            (.allowed, [.agree, .laxer, .unknown]), (.wouldBlock, [.stricter, .agree, .unknown]),
            (.blocked, [.stricter, .agree, .unknown]), (.failed, [.unknown, .unknown, .unknown]),
            (.outside, [.unknown, .unknown, .unknown]),
        ] as [(Verdict, [DeviceAgreement.Answer])])
    func answers(verdict: Verdict, expected: [DeviceAgreement.Answer]) {
        let answers = [accepted, refused, unknown].map { agreement([load("a.test", verdict, $0)]).counts }
        #expect(answers == expected.map { [$0: 1] })
    }

    @Test(
        "a failed load is compared only if the origin's TLS failed; network failures are unknown")
    func failures() {
        func counts(_ rule: RuleID, _ device: RecordedDevice) -> [DeviceAgreement.Answer: Int] {
            agreement([load("a.test", .failed, device, rule: rule)]).counts
        }
        #expect(counts(.tlsAlert, accepted) == [.stricter: 1])
        #expect(counts(.tlsAlert, refused) == [.agree: 1])
        #expect(counts(.netName, accepted) == [.unknown: 1])
        let lines = agreement([load("a.test", .failed, accepted, rule: .netName)]).lines
        #expect(lines.last == "  cannot tell: 1 net.name")
    }

    @Test("a device that used one connection has accepted, whatever happened to its others")
    func several() {
        let first = load("a.test", .allowed, refused)
        #expect(
            agreement([first, load("a.test", .allowed, accepted), load("a.test", .allowed, unknown)]).counts == [
                .agree: 1
            ])
        #expect(agreement([first, load("a.test", .allowed, unknown)]).counts == [.laxer: 1])
        // Another device, and another port of the first.
        let others = [
            load("a.test", .allowed, accepted, client: "192.0.2.2:5000"),
            load("a.test", .allowed, refused, client: "192.0.2.1:5001"),
        ]
        #expect(agreement([first] + others).counts == [.agree: 1, .laxer: 1])
    }

    @Test("an origin with two verdicts is one origin, and the connection that the device used is compared")
    func twoVerdicts() {
        let refusedBad = load("a.test", .wouldBlock, refused, rule: .untrustedRoot)
        let acceptedGood = load("a.test", .allowed, accepted)
        #expect(agreement([refusedBad, acceptedGood]).counts == [.agree: 1])
        #expect(agreement([acceptedGood, refusedBad]).counts == [.agree: 1])
        let acceptedBad = load("a.test", .wouldBlock, accepted, rule: .untrustedRoot)
        let both = agreement([load("a.test", .allowed, refused), acceptedBad])
        #expect(
            both.lines == [
                "witness: 1 origin of 1 device, 2 connections: 1 gate stricter",
                "  gate stricter: https://a.test predicted would block (trust.untrusted-root), 192.0.2.1 accepted "
                    + "(application-data, observed) 1 of 2",
            ])
        #expect(agreement([load("a.test", .allowed, unknown), refusedBad]).counts == [.agree: 1])
    }

    @Test("a load without a known device outcome is not counted")
    func unseen() {
        #expect(agreement([load("a.test", .allowed, nil)]).lines == ["witness: no load came through"])
    }

    @Test("the summary shows the agreements, each difference, and why others are unknown")
    func lines() {
        let agreement = agreement([
            load("a.test", .allowed, accepted, agent: "curl/8"), load("b.test", .allowed, refused, agent: "curl/8"),
            load("b.test", .allowed, refused, agent: "curl/8"),
            load("b.test", .wouldBlock, accepted, agent: "Mozilla/5.0 (X) Safari/605"),
            load("c.test", .allowed, unknown, agent: "curl/8"), load("d.test", .outside, accepted, agent: "curl/8"),
        ])
        #expect(
            agreement.lines == [
                "witness: 5 origins of 2 devices, 6 connections: 1 agree, 1 gate stricter, 1 gate laxer, 2 cannot tell",
                "  gate stricter: https://b.test predicted would block, 192.0.2.1 Safari/605 accepted "
                    + "(application-data, observed) 1 of 1",
                "  gate laxer: https://b.test predicted allowed, 192.0.2.1 curl/8 refused (sealed-alert, inferred) 2 of 2",
                "  cannot tell: 1 no-hello, 1 outside ATS",
            ])
    }

    @Test("the size and the lines are bounded, and the summary shows the omission")
    func bounded() {
        let agreement = agreement((0..<5_000).map { load("h\($0).test", .allowed, refused) })
        #expect(agreement.counts == [.laxer: 4_096])
        #expect(agreement.lines.count == 203)
        #expect(agreement.lines.contains("  and 3896 more: see atsgate report --format json"))
        #expect(agreement.lines.last == "  904 connections of further origins: not counted")
    }
}
