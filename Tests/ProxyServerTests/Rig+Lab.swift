import ATSPolicy
import Lab
import Records
import Testing

/// One origin of the lab, and its expected result.
struct LabVisit {
    let origin: LabOrigin
    let expected: LabExpectation

    init(_ origin: LabOrigin, _ expected: LabExpectation) {
        self.origin = origin
        self.expected = expected
    }
}

extension LabOrigin {
    /// True if it does not answer a ClientHello, so that a visit takes as long as the gate's timeout.
    var isSilent: Bool { name == "stalls.lab.test" }
}

extension Rig {
    /// Loads each origin once and compares its record with the lab's prediction.
    ///
    /// A single curl loads several origins at a time. One by one, most of the time would go to starting curl and to
    /// slow origins.
    func visit(_ visits: [LabVisit], as profile: OSProfile) async throws {
        let urls = visits.flatMap { ["-o", "/dev/null", $0.origin.url] }
        _ = try await curl(["--parallel", "--parallel-immediate", "--parallel-max", "8"] + urls)
        let records = Dictionary(grouping: await sink.wait(for: visits.count), by: \.load.target.host)
        for (origin, expected) in visits.map({ ($0.origin, $0.expected) }) {
            let place: Comment = "\(origin.name) on \(profile.name)"
            let own = records[origin.name] ?? []
            let record = try #require(own.count == 1 ? own.first : nil, place)
            #expect(record.verdict.rawValue == expected.verdict, place)
            #expect(record.diagnosis?.findings.first?.rule == expected.rule, place)
            #expect(record.diagnosis?.apple?.code == expected.appleCode, place)
            #expect(record.diagnosis?.apple?.streamErrorCode == expected.streamErrorCode, place)
        }
    }
}
