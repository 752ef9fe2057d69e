import ATSPolicy
import Foundation
import Records
import Reporting
import Samples
import Testing

@Suite("Groups of equal loads")
struct GroupTests {
    @Test(
        "equal loads form a group, with the earliest time and one of their records", arguments: StoreKind.allCases)
    func groups(kind: StoreKind) throws {
        // Filed in reverse order of their start.
        var loads = (0..<6).map { SampleLoads.plain(10 - $0, host: $0.isMultiple(of: 3) ? "a.test" : "b.test") }
        loads += [SampleLoads.forwardSecrecy(3), SampleLoads.plain(1, recording: "other")]
        loads = loads.enumerated().map { SampleLoads.filed($1, id: SampleLoads.id($0)) }
        try kind.withStore(of: loads) { reader in
            let groups = try Self.groups(reader, recording: "nightly")
            // A file returns them in the order filed. Loads of several gates have only the order of their start.
            #expect(
                groups.map(\.first.id) == (kind == .file ? [0, 1, 6] : [6, 5, 3]).map { SampleLoads.id($0) })
            let hosts = Dictionary(uniqueKeysWithValues: groups.map { ($0.first.load.target.host, $0) })
            let expected = [("a.test", 2, 7), ("b.test", 4, 5), ("rsa-kx.lab.test", 1, 3)]
            for (host, count, earliest) in expected {
                let group = try #require(hosts[host])
                #expect(group.loads == count, "\(host)")
                #expect(group.span.first == 1_770_091_506_000 + Int64(earliest), "\(host)")
                #expect(group.first.rule == (count == 1 ? .forwardSecrecy : nil), "\(host)")
                #expect((group.first.handshake != nil) == (count > 1), "\(host)")
            }
            #expect(try Self.groups(reader, recording: nil).map(\.loads).reduce(0, +) == 8)
            #expect(try Self.groups(reader, recording: "none").isEmpty)
            var filter = RecordFilter(recording: "nightly")
            filter.verdicts = [.blocked]
            var blocked = 0
            try reader.forEachGroup(matching: filter) { blocked += $0.loads }
            #expect(blocked == 1)
            let alike = try reader.similarLoads(matching: RecordFilter(recording: "nightly"))
            #expect(alike.map(\.loads) == groups.map(\.loads))
            #expect(alike.map(\.last.id) == (kind == .file ? [3, 5, 6] : [6, 1, 0]).map { SampleLoads.id($0) })
        }
    }

    @Test("a different deciding rule, verdict or handshake makes a separate group", arguments: StoreKind.allCases)
    func differences(kind: StoreKind) throws {
        var other = SampleLoads.plain()
        other.origin = RecordedOrigin(address: "192.0.2.7:443", facts: nil, failure: .timeout)
        var finding = SampleLoads.plain()
        finding.diagnosis = SampleLoads.forwardSecrecy().diagnosis
        let loads = [SampleLoads.plain(), SampleLoads.plain(verdict: .failed), other, finding, SampleLoads.plain()]
        try kind.withStore(of: SampleLoads.inOrder(loads)) { reader in
            let groups = try Self.groups(reader, recording: nil)
            #expect(groups.map(\.loads) == [2, 1, 1, 1])
        }
    }

    @Test(
        "equal loads of two gates are one group and share one row, although each gate wrote it",
        arguments: StoreKind.allCases)
    func twoGates(kind: StoreKind) throws {
        try kind.withStore { store in
            let loads = SampleLoads.inOrder(
                (0..<2).flatMap { [SampleLoads.plain($0), SampleLoads.forwardSecrecy($0)] })
            for gate in 0..<2 { try store.write(Array(loads[gate * 2..<gate * 2 + 2]), gate: gate) }
            #expect(try store.rows(of: "shared") == 2)
            #expect(try store.rows(of: "diagnosis") == 1)
            let groups = try Self.groups(store.reader, recording: "nightly")
            #expect(groups.map(\.loads) == [2, 2])
            #expect(groups.map(\.span.last) == [1_770_091_506_001, 1_770_091_506_001])
            var text: [UInt8] = []
            try store.reader.report(as: .text, of: RecordFilter()) { text += $0 }
            let told = String(decoding: text, as: UTF8.self)
            #expect(told.components(separatedBy: "(+1 other URL)").count == 3, "\(told)")
        }
    }

    @Test("outcomes are listed by host", arguments: StoreKind.allCases)
    func hosts(kind: StoreKind) throws {
        let loads = [
            SampleLoads.plain(), SampleLoads.plain(1), SampleLoads.forwardSecrecy(), SampleLoads.unreachable(),
            SampleLoads.plain(recording: "other"),
        ]
        try kind.withStore(of: SampleLoads.inOrder(loads)) { reader in
            let hosts = try reader.hosts(matching: RecordFilter(recording: "nightly"))
            #expect(hosts.map(\.host) == ["api.lab.test", "gone.lab.test", "rsa-kx.lab.test"])
            #expect(hosts.map(\.rule) == [nil, "net.refused", "ats.forward-secrecy"])
            #expect(hosts.map(\.loads) == [2, 1, 1])
            #expect(try reader.hostNames(of: ["other"]) == ["api.lab.test"])
            #expect(try reader.hosts(matching: RecordFilter(recording: "none")).isEmpty)
        }
    }

    private static func groups(_ reader: StoreReader, recording: String?) throws -> [LoadGroup] {
        var groups: [LoadGroup] = []
        try reader.forEachGroup(matching: RecordFilter(recording: recording)) { groups.append($0) }
        return groups
    }
}
