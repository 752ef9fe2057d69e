import Foundation
import Records
import Reporting
import Samples
import Testing
import Text

@Suite("Changes of recordings")
struct RecordingChangeTests {
    @Test(
        "a recording is renamed everywhere, and a gate that records into it keeps the old name",
        arguments: StoreKind.allCases)
    func rename(kind: StoreKind) throws {
        try kind.withStore { store in
            let old = "a \"b\"/ü"
            let loads = SampleLoads.inOrder([
                SampleLoads.plain(1, recording: old), SampleLoads.plain(2, recording: "other"),
                SampleLoads.plain(3, recording: old),
            ])
            try store.write(Array(loads[..<2]))
            try store.rename(old, to: "new")
            let reader = try store.reader
            #expect(try reader.recordings().map(\.name) == ["new", "other"])
            var renamed = loads[0]
            renamed.recording = "new"
            #expect(try reader.records(recording: "new").texts == [renamed].texts)
            try store.write(Array(loads[2...]))
            #expect(try reader.records(recording: "new").map(\.id) == [loads[0].id])
            #expect(try reader.records(recording: old).map(\.id) == [loads[2].id])
        }
    }

    @Test(
        "a deleted recording is gone, the rest reads as before, and a gate keeps recording",
        arguments: StoreKind.allCases)
    func delete(kind: StoreKind) throws {
        try kind.withStore { store in
            let loads = SampleLoads.inOrder(
                (0..<60).map { SampleLoads.plain($0, recording: $0.isMultiple(of: 3) ? "kept" : "gone") })
            try store.write(Array(loads[..<30]))
            try store.begin("empty")
            try store.write(Array(loads[30..<59]))
            #expect(try store.delete(["gone", "empty"]) == 39)
            let reader = try store.reader
            let kept = loads.filter { $0.recording == "kept" }
            #expect(try reader.records().texts == kept.texts)
            #expect(try reader.recordings().map(\.name) == ["kept"])
            #expect(try reader.counts() == [.allowed: 20])
            #expect(try reader.record(id: loads[1].id) == nil)
            try store.write([loads[59]])
            #expect(try reader.records(recording: "gone").texts == [loads[59]].texts)
            #expect(try store.delete(["none"]) == 0)
        }
    }

    @Test(
        "old loads are deleted, with all that only they used; the rest reads as before", arguments: StoreKind.allCases)
    func prune(kind: StoreKind) throws {
        try kind.withStore { store in
            let now = Int64(Date().timeIntervalSince1970 * 1000)
            let loads = SampleLoads.inOrder(
                (0..<20).map { number in
                    var record = SampleLoads.plain(
                        number, recording: number < 10 ? "old" : "new", verdict: number < 10 ? .blocked : .allowed)
                    record.time = now - (number < 10 ? 4 : 1) * 86_400_000
                    return record
                })
            try store.write(loads)
            #expect(try store.prune(olderThan: .seconds(2 * 86_400)) == 10)
            let reader = try store.reader
            #expect(try reader.records().texts == loads[10...].texts)
            #expect(try reader.recordings().map(\.name) == ["new"])
            #expect(try reader.recordings().map(\.loads) == [10])
            #expect(try reader.counts() == [.allowed: 10])
            #expect(try store.prune(olderThan: .seconds(2 * 86_400)) == 0)
        }
    }

    @Test(
        "an exported recording is one file that opens as a store, and is imported once, however often",
        arguments: StoreKind.allCases)
    func transfer(kind: StoreKind) throws {
        try kind.withStore { store in
            let loads = SampleLoads.inOrder([
                SampleLoads.plain(1), SampleLoads.forwardSecrecy(2), SampleLoads.plain(3, recording: "other"),
                SampleLoads.plain(4),
            ])
            try store.write(loads)
            let reader = try store.reader
            let file = store.path("ticket.jsonl")
            #expect(try reader.export("nightly", to: file) == 3)
            let nightly = loads.filter { $0.recording == "nightly" }
            #expect(try StoreReader(path: file).records().texts == nightly.texts)
            let known = try store.importRecordings(file, as: nil)
            #expect(known.names == ["nightly"] && known.added == 0)
            #expect(try reader.records(recording: "nightly").texts == nightly.texts)
            let both = store.path("both.jsonl")
            _ = try reader.export(to: both, masking: NameMask([.everyHost], key: KeyedHash(1, 2)))
            #expect(throws: StoreError.notOneRecording(path: both, count: 2)) {
                try store.importRecordings(both, as: "x")
            }
        }
    }

    @Test(
        "loads of another store are imported under a free name, with handshakes that the store has",
        arguments: StoreKind.allCases)
    func importing(kind: StoreKind) throws {
        try kind.withStore { store in
            let own = SampleLoads.inOrder([SampleLoads.plain(1), SampleLoads.forwardSecrecy(2)])
            try store.write(own)
            let theirs = (10..<13).map { SampleLoads.plain($0) }
            let sink = try StoreSink(path: store.path("theirs.sqlite"))
            try sink.write(theirs)
            try sink.close()
            let file = store.path("theirs.jsonl")
            #expect(try StoreReader(path: store.path("theirs.sqlite")).export(to: file) == 3)
            do {
                _ = try store.importRecordings(file, as: nil)
                Issue.record("the name is in use")
            } catch StoreError.nameTaken(_, let name) {
                #expect(name == "nightly")
            }
            let taken = try store.importRecordings(file, as: "from QA")
            #expect(taken.names == ["from QA"] && taken.added == 3)
            let reader = try store.reader
            let imported = try reader.records(recording: "from QA")
            #expect(Set(imported.map(\.id)).isDisjoint(with: theirs.map(\.id)))
            // Except for the id, which a load of another recording has.
            let renamed = zip(theirs, imported).map { record, copy in
                var record = record
                (record.recording, record.id) = ("from QA", copy.id)
                return record
            }
            #expect(imported.texts == renamed.texts)
            #expect(try reader.records(recording: "nightly").texts == own.texts)
            #expect(try store.rows(of: "handshake") == 1)
        }
    }

    @Test("an empty recording is exported and imported as such", arguments: StoreKind.allCases)
    func emptyTransfer(kind: StoreKind) throws {
        try kind.withStore { store in
            try store.begin("empty")
            let file = store.path("empty.jsonl")
            #expect(try store.reader.export("empty", to: file) == 0)
            #expect(try store.importRecordings(file, as: "theirs").added == 0)
            #expect(try store.reader.recordings().map(\.name).sorted() == ["empty", "theirs"])
            #expect(try store.reader.recordings().allSatisfy { $0.loads == 0 })
        }
    }

    @Test(
        "a follower misses no new load after the newest recording was deleted",
        arguments: StoreKind.allCases)
    func followedAcrossDeletion(kind: StoreKind) throws {
        try kind.withStore { store in
            let loads = SampleLoads.inOrder(
                (0..<5).map { SampleLoads.plain($0, recording: ["old", "new", "new", "newer", "newer"][$0]) })
            try store.write(Array(loads[..<3]))
            let all = try StoreFollower(store.reader, matching: RecordFilter(), fromStart: true)
            let late = try StoreFollower(store.reader, matching: RecordFilter(), fromStart: false)
            #expect(try all.next().map(\.id) == loads[..<3].map(\.id))
            #expect(try late.next().isEmpty)
            #expect(try store.delete(["new"]) == 2)
            try store.write(Array(loads[3...]))
            for follower in [all, late] { #expect(try Self.told(follower) == loads[3...].map(\.id)) }
        }
    }

    /// The follower's next loads. A server notifies, which may take its time.
    private static func told(_ follower: StoreFollower) throws -> [String] {
        let deadline = ContinuousClock.now + .seconds(60)
        while .now < deadline {
            let loads = try follower.next()
            if !loads.isEmpty { return loads.map(\.id) }
        }
        return []
    }
}
