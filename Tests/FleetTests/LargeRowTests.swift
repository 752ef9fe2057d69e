import Postgres
import Records
import Reporting
import Testing

@Suite("Rows of a shared store that are as long as a gate may file them")
struct LargeRowTests {
    @Test("reports and names of hosts are complete, however much the rows of a piece come to")
    func reading() throws {
        var source = LoadSource()
        let both = try SharedCopy(source.next(300, hosts: 80))
        let usual = try lines(both)
        #expect(usual.count >= 300)
        // Of 80 shared rows and more, 56 MB: a statement may have 20 MiB, and a reader keeps 32 MiB.
        try both.rig.run(
            """
            ALTER TABLE atsgate.shared DROP CONSTRAINT shared_id;
            UPDATE atsgate.shared SET host = host || repeat('x', 700000);
            """)
        let hosts = "SELECT count(DISTINCT host) FROM atsgate.shared"
        #expect(try both.rig.number(hosts) >= 80)
        #expect(try both.shared.hostNames(of: []).count == both.rig.number(hosts))
        #expect(try lines(both) == usual)
    }

    private func lines(_ both: SharedCopy) throws -> [String] {
        var text: [UInt8] = []
        try both.shared.report(as: .jsonl, of: RecordFilter(recording: "nightly")) { text += $0 }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map { String($0) }
    }
}
