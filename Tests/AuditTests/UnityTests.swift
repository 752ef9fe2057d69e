import Audit
import Seeded
import Testing

@Suite("String literals of Unity apps")
struct UnityTests {
    private static let place = "Data/Managed/Metadata/global-metadata.dat"
    private static let literals = [
        "https://one.demo.app/v1", "http://two.demo.app", "GET", "three.demo.com", "", "k\u{e9}y=https://four.demo.app",
    ]

    private func report(_ bytes: [UInt8]) throws -> AuditReport {
        let app = try SampleApp()
        try app.addInfo()
        try app.add(Self.place, bytes)
        return try AppAudit().audit(app.path)
    }

    @Test(
        "literals are separated by their table, with or without lengths",
        arguments: [24, 31, 35, 38, 39, 108, 110] as [UInt32])
    func separated(version: UInt32) throws {
        let report = try report(UnityWriter.file(Self.literals, version: version))
        #expect(report.hosts.map(\.row.host) == ["two.demo.app", "four.demo.app", "one.demo.app", "three.demo.com"])
        #expect(report.hosts[0].row.found.map(\.words) == ["Demo.app/\(Self.place) string literals"])
        #expect(report.hosts[2].row.url == "https://one.demo.app/v1" && report.remarks.isEmpty)
    }

    @Test("an unknown version, damage and encryption get a remark, and URLs are searched without the table")
    func remarks() throws {
        let whole = UnityWriter.file(Self.literals, version: 29)
        var damaged = whole
        damaged[13] = 0xFF
        var encrypted = whole
        encrypted[0] = 0
        for (bytes, words) in [
            (UnityWriter.file(Self.literals, version: 500), "the unknown version 500"), (damaged, "malformed metadata"),
            (encrypted, "perhaps because it is encrypted"), (Array(whole.dropLast(10)), "malformed metadata"),
        ] {
            let report = try report(bytes)
            #expect(report.remarks.count == 1 && report.remarks[0].contains(words))
            #expect(report.hosts.map(\.row.host).contains("one.demo.app"))
        }
        #expect(try report(Array("secret".utf8)).remarks.count == 1)
    }

    @Test("forged tables and random bytes give a list of hosts and never a trap", arguments: [1, 2, 3] as [UInt64])
    func random(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let whole = UnityWriter.file(Self.literals, version: 31)
        for round in 0..<500 {
            var bytes = whole
            if round % 2 == 0 { bytes[4] = [16, 35, 38, 110].randomElement(using: &generator) ?? 16 }
            for _ in 0..<3 {
                bytes[Int.random(in: 8..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator))
            for found in FileHosts.found(in: bytes, path: Self.place) {
                #expect(!found.host.isEmpty || found.isTemplate)
            }
        }
    }
}
