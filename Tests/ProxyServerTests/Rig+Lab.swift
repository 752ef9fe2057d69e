import ATSPolicy
import Lab
import Records
import Testing

/// One origin of the lab, and what is to be seen of it.
struct LabVisit {
    let origin: LabOrigin
    let expected: LabExpectation

    init(_ origin: LabOrigin, _ expected: LabExpectation) {
        self.origin = origin
        self.expected = expected
    }
}

extension LabOrigin {
    /// Whether it says nothing to a ClientHello, so that a visit takes as long as the gate's patience.
    var isSilent: Bool { name == "stalls.lab.test" }
}

extension Rig {
    /// Loads each origin once, several at a time and all with one curl, and holds its record against the lab's
    /// prediction. One by one the runs of curl, and the origins that let it wait, would take most of the time.
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
