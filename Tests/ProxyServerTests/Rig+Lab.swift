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

extension Rig {
    /// Loads each origin once with curl and holds its record against the lab's prediction.
    func visit(_ visits: [LabVisit], as profile: OSProfile) async throws {
        for (index, visit) in visits.enumerated() {
            let (origin, expected) = (visit.origin, visit.expected)
            _ = try await curl("-o", "/dev/null", origin.url)
            let records = await sink.wait(for: index + 1)
            let record = try #require(records.count == index + 1 ? records.last : nil, "\(origin.name)")
            let place: Comment = "\(origin.name) on \(profile.name)"
            #expect(record.verdict.rawValue == expected.verdict, place)
            #expect(record.diagnosis?.findings.first?.rule == expected.rule, place)
            #expect(record.diagnosis?.apple?.code == expected.appleCode, place)
            #expect(record.diagnosis?.apple?.streamErrorCode == expected.streamErrorCode, place)
        }
    }
}
