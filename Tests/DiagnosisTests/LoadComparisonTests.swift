import ATSPolicy
import Diagnosis
import Records
import Testing

/// Compares results of a device with the rulings.
@Suite struct LoadComparisonTests {
    private static let strict = "{}"
    private static let free = #"{"NSAllowsArbitraryLoads": true}"#

    private func compare(
        _ device: RecordedDevice, _ past: LoadRecord, seen: Bool = true, _ dictionary: String = strict,
        isReleaseKnown: Bool = true
    ) throws -> LoadComparison {
        let load = DeviceLoad(
            url: past.load.url, target: past.load.target, profile: .iOS26, isReleaseKnown: isReleaseKnown,
            device: device, handshake: seen ? past.handshake : nil, unixSeconds: past.time / 1_000)
        let prediction = DevicePredictor(try PastLoads.declaration(dictionary)).prediction(of: load)
        return LoadComparison(device, prediction, scheme: past.load.target.scheme, isReleaseKnown: isReleaseKnown)
    }

    private func seen(
        _ outcome: RecordedDevice.Outcome, _ code: Int? = nil, _ stream: Int? = nil, ruling: DeviceRuling? = nil,
        systemTrust: Int? = nil, tls: DeviceTLS? = nil, proxied: String? = nil, lines: [String] = []
    ) -> RecordedDevice {
        RecordedDevice(
            outcome, confidence: .observed,
            facts: DeviceFacts(
                code: code, streamCode: stream, ruling: ruling, systemTrust: systemTrust, tls: tls), proxied: proxied,
            lines: lines)
    }

    @Test("outcomes are compared with the handshake if a gate saw it")
    func met() throws {
        let (good, expired) = (PastLoads.good("a.test"), PastLoads.expired("a.test"))
        #expect(try compare(seen(.accepted), good).answer == .agree)
        #expect(try compare(seen(.accepted), expired).answer == .stricter)
        #expect(try compare(seen(.refused, -1200, -9802), expired).answer == .agree)
        #expect(try compare(seen(.refused, -1200, -9824), expired).answer == .otherCode)
        #expect(try compare(seen(.failed, -1202, -9814), expired).answer == .otherCode)
        #expect(try compare(seen(.refused, -1200, -9802), good).answer == .laxer)
        #expect(try compare(seen(.failed, -1001), good).answer == .unknown)
        #expect(try compare(seen(.unknown), good).answer == .unknown)
    }

    @Test("without a handshake, outcomes are compared with the device's log only")
    func unmet() throws {
        let good = PastLoads.good("a.test")
        #expect(try compare(seen(.accepted), good, seen: false).answer == .unknown)
        #expect(try compare(seen(.accepted), good, seen: false, Self.free).answer == .agree)
        #expect(try compare(seen(.refused, -1200, -9802), good, seen: false, Self.free).answer == .laxer)
        #expect(try compare(seen(.failed, -1202, -9813), good, seen: false, Self.free).answer == .unknown)
        let old = seen(.accepted, tls: DeviceTLS(version: "1.1"))
        #expect(try compare(old, good, seen: false).answer == .stricter)
        let weak = seen(.accepted, tls: DeviceTLS(version: "1.2", cipher: "TLS_RSA_WITH_AES_256_GCM_SHA384"))
        #expect(try compare(weak, good, seen: false).answer == .stricter)
        let fine = seen(.accepted, tls: DeviceTLS(version: "1.3", cipher: "TLS_AES_128_GCM_SHA256"))
        #expect(try compare(fine, good, seen: false).answer == .unknown)
    }

    @Test("a cleartext load is compared by its error code, and other network errors prove that it was not blocked")
    func cleartext() throws {
        let load = PastLoads.cleartext("a.test")
        let agreed = try compare(seen(.refused, -1022), load)
        #expect(agreed.answer == .agree)
        #expect(agreed.rows.first?.device == "refused, -1022" && agreed.rows.first?.deviceWords == "blocked, -1022")
        #expect(agreed.rows.first?.gateWords == "blocked, -1022 (ats.cleartext-load)")
        #expect(try compare(seen(.refused, -1022), load, Self.free).answer == .laxer)
        #expect(try compare(seen(.accepted), load).answer == .stricter)
        #expect(try compare(seen(.failed, -1003), load).answer == .stricter)
        #expect(try compare(seen(.failed, -999), load).answer == .unknown)
        #expect(try compare(seen(.failed, -1003), load, Self.free).answer == .unknown)
    }

    @Test("a load through a debugging proxy is unknown, unless it was cleartext")
    func proxied() throws {
        let passing = seen(.failed, -1202, -9813, proxied: "Charles Proxy CA")
        #expect(try compare(passing, PastLoads.good("a.test")).answer == .unknown)
        let cleartext = seen(.refused, -1022, proxied: "Charles Proxy CA")
        #expect(try compare(cleartext, PastLoads.cleartext("a.test")).answer == .agree)
    }

    @Test("each number of the device's ruling is compared with the predicted value")
    func ruling() throws {
        let good = PastLoads.good("a.test")
        func answers(
            _ ruling: DeviceRuling, _ dictionary: String
        ) throws -> [LoadComparison.Field: LoadComparison.Answer] {
            let rows = try compare(seen(.accepted, ruling: ruling), good, dictionary).rows
            return Dictionary(rows.map { ($0.field, $0.answer) }) { first, _ in first }
        }
        let asks = DeviceRuling(strength: 1, tls: 8, ct: 0, ciphers: 1, bundle: 0, builtin: 0)
        #expect(
            try answers(asks, Self.strict) == [
                .outcome: .agree, .strictness: .agree, .minimumTLS: .agree, .forwardSecrecy: .agree,
                .transparency: .agree,
            ])
        #expect(try answers(asks, Self.free)[.strictness] == .laxer && answers(asks, Self.free)[.minimumTLS] == .laxer)
        let asksNothing = DeviceRuling(strength: 0, tls: 4, ct: 0, ciphers: 0, bundle: 1)
        #expect(try answers(asksNothing, Self.strict)[.forwardSecrecy] == .stricter)
        #expect(try answers(asksNothing, Self.strict)[.entry] == .otherEntry)
        #expect(try answers(asksNothing, Self.free)[.entry] == .agree)
        for (number, answer) in [(7, LoadComparison.Answer.stricter), (10, .laxer), (9, .unknown)] {
            #expect(try answers(DeviceRuling(tls: number), Self.strict)[.minimumTLS] == answer, "\(number)")
        }
        let line = try compare(seen(.accepted, systemTrust: 0), good, Self.free)
        #expect(line.rows.first { $0.field == .strictness }?.answer == .laxer)
    }

    @Test("log lines are compared with those of the same kind, without the parts that differ in every load")
    func lines() throws {
        let load = PastLoads.cleartext("a.test")
        let own = [
            "Cannot start load of Task <0A0A0A0A-1111-4222-8333-444444444444>.<7> since it does not conform to ATS policy",
            "the app's own words",
        ]
        func row(_ lines: [String], isReleaseKnown: Bool = true) throws -> LoadComparison.Answer? {
            try compare(seen(.refused, -1022, lines: lines), load, isReleaseKnown: isReleaseKnown)
                .rows.first { $0.field == .lines }?.answer
        }
        #expect(try row(own) == .agree)
        #expect(try row(["the app's own words"]) == nil)
        #expect(try row([own[0].replacing("conform", with: "bow")]) == .otherLines)
        #expect(try row([own[0].replacing("conform", with: "bow")], isReleaseKnown: false) == .unknown)
    }

    @Test("a tally counts by host and by field, and records if any load differed")
    func tally() throws {
        var tally = ComparisonTally()
        tally.add(try compare(seen(.refused, -1022), PastLoads.cleartext("a.test")), host: "a.test")
        #expect(!tally.hasBreach)
        tally.add(try compare(seen(.accepted), PastLoads.cleartext("b.test")), host: "b.test")
        tally.add(try compare(seen(.accepted), PastLoads.good("b.test"), seen: false), host: "b.test")
        #expect(tally.hasBreach && tally.count == 3)
        #expect(tally.hosts == ["a.test": [.agree: 1], "b.test": [.stricter: 1, .unknown: 1]])
        #expect(tally.fields[.outcome] == [.agree: 1, .stricter: 1, .unknown: 1])
        #expect(tally.reasons == ["a device's log does not contain the server's certificate": 1])
    }
}
