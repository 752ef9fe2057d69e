import ATSPolicy
import Fleet
import Foundation
import Postgres
import PostgresServer
import Records
import Reporting
import Testing
import Text

@Suite("Reading a shared store like a file")
struct ReadingTests {
    /// Filters that each use another condition with its own SQL for servers.
    static let filters: [(name: String, filter: RecordFilter)] = {
        func filter(_ change: (inout RecordFilter) -> Void) -> RecordFilter {
            var filter = RecordFilter()
            change(&filter)
            return filter
        }
        return [
            ("all", RecordFilter()), ("recording", RecordFilter(recording: "nightly")),
            ("no such recording", RecordFilter(recording: "none")),
            ("hosts", filter { $0.hosts = [Glob("API?.lab.*"), Glob("x")] }),
            ("verdicts", filter { $0.verdicts = [.blocked, .failed] }),
            ("rules", filter { $0.rules = [Glob("ATS.*")] }), ("labels", filter { $0.labels = ["Phone", "it's"] }),
            ("apps", filter { $0.apps = [Glob("aPP")] }), ("an app with marks", filter { $0.apps = [Glob("A p\"?*")] }),
            ("entrances", filter { $0.entrances = [.proxy] }),
            ("since", filter { $0.since = 1_770_076_800_000 }), ("until", filter { $0.until = 1_770_076_800_000 }),
            ("devices", filter { $0.devices = ["192.0.2.1"] }),
            ("words", filter { $0.search = LoadSearch("/3 app/1") }),
            (
                "several",
                filter {
                    $0.recordings = ["nightly", "release"]
                    $0.hosts = [Glob("*1.lab.test")]
                    $0.verdicts = [.allowed, .failed]
                    $0.since = 1_770_076_795_000
                }
            ),
        ]
    }()

    private func both(_ number: Int = 40) throws -> SharedCopy {
        var loads = RecordedLoads()
        return try SharedCopy(loads.all(number), empty: ["empty"])
    }

    @Test("rows, groups, hosts, pages and reports of every format are the same for every filter")
    func same() throws {
        let both = try both()
        let (file, shared) = (try both.file, try both.shared)
        for (name, filter) in Self.filters {
            func rows(_ reader: StoreReader) throws -> [String] {
                var rows: [String] = []
                try reader.forEach(matching: filter) { rows.append(RecordJSON.text(try $0.record())) }
                return rows
            }
            func groups(_ reader: StoreReader) throws -> [String] {
                try reader.similarLoads(matching: filter).map { "\($0.loads) \(RecordJSON.text($0.last))" }
            }
            #expect(try rows(shared) == rows(file), "\(name)")
            #expect(try shared.hosts(matching: filter) == file.hosts(matching: filter), "\(name)")
            #expect(try groups(shared) == groups(file), "\(name)")
            #expect(try pages(shared, filter) == pages(file, filter), "\(name)")
            for format in ReportFormat.allCases {
                #expect(try report(shared, format, filter) == report(file, format, filter), "\(name) as \(format)")
                #expect(try streamed(shared, format, filter) == report(file, format, filter), "\(name) as \(format)")
            }
            for grouping in ReportGrouping.allCases where grouping != .gate {
                let outlines = try [shared, file].map { try $0.outline(by: grouping, of: filter).written(as: .json) }
                #expect(outlines[0] == outlines[1], "\(name) by \(grouping)")
            }
        }
    }

    @Test("recordings, their counts and overviews are the same")
    func recordings() throws {
        let both = try both()
        let (file, shared) = (try both.file, try both.shared)
        #expect(try shared.recordings() == file.recordings())
        #expect(try shared.counts() == file.counts())
        #expect(try shared.counts(recording: "release") == file.counts(recording: "release"))
        #expect(try shared.overviews(withSizes: true) == file.overviews(withSizes: true))
        #expect(try shared.hostNames(of: []) == file.hostNames(of: []))
        #expect(try shared.hostNames(of: ["release"]) == file.hostNames(of: ["release"]))
    }

    @Test("loads with their handshakes, and a load by its id, are the same")
    func loads() throws {
        let both = try both()
        let (file, shared) = (try both.file, try both.shared)
        func handshakes(_ reader: StoreReader) throws -> [RecordedHandshake?] {
            var all: [RecordedHandshake?] = []
            try reader.forEach(matching: RecordFilter()) { all.append(try $0.record().handshake) }
            return all
        }
        let expected = try handshakes(file)
        #expect(expected.contains { $0 != nil })
        #expect(try handshakes(shared) == expected)
        for stored in try file.records().prefix(5) {
            let found = try #require(try shared.record(id: stored.id))
            #expect(RecordJSON.text(found) == RecordJSON.text(stored))
            #expect(found.handshake == stored.handshake)
        }
        #expect(try shared.record(id: "01ARZ3NDEKTSV4RRFFQ69G5FAV") == nil)
        #expect(try shared.record(id: "no id") == nil)
    }

    @Test("a recording exported from a shared store equals that of the file")
    func export() throws {
        let both = try both()
        let copies = try [both.file, both.shared].map { reader in
            var lines: [UInt8] = []
            let count = try reader.export(RecordFilter(recording: "nightly")) { lines += $0 }
            #expect(count == 80)
            return String(decoding: lines, as: UTF8.self)
        }
        #expect(copies[0] == copies[1] && copies[0].contains("\"handshake\":"))
    }

    @Test("a follower of a shared store gets each new load once, and no earlier one")
    func follow() throws {
        var source = RecordedLoads()
        let both = try SharedCopy(source.all(20))
        let follower = try StoreFollower(both.shared, matching: RecordFilter(recording: "nightly"), fromStart: false)
        let fromStart = try StoreFollower(both.shared, matching: RecordFilter(), fromStart: true)
        #expect(try follower.next().isEmpty)
        var first: [String] = []
        while case let some = try fromStart.next(limit: 17), !some.isEmpty { first += some.map(\.id) }
        #expect(try first == both.file.records().map(\.id))
        let sink = try StoreSink(path: both.path)
        let late = source.all(15)
        try sink.write(late)
        try both.ship()
        #expect(try newIDs(follower) == late.filter { $0.recording == "nightly" }.map(\.id))
        #expect(try follower.next().isEmpty)
        #expect(try newIDs(fromStart) == late.map(\.id))
        try sink.close()
    }

    @Test("loads are selected by their gate's machine and label; a file refuses the condition")
    func gates() throws {
        let both = try both(5)
        func loads(_ glob: String) throws -> Int {
            var filter = RecordFilter()
            filter.gates = [Glob(glob)]
            return try both.shared.hosts(matching: filter).reduce(0) { $0 + $1.loads }
        }
        #expect(try loads("machine.*") == 20 && loads("Phone?") == 20 && loads("other") == 0)
        var filter = RecordFilter()
        filter.gates = [Glob("*")]
        #expect(throws: StoreError.self) { try both.file.hosts(matching: filter) }
        let outline = try both.shared.outline(by: .gate, of: RecordFilter(recording: "nightly"))
        #expect(outline.rows.map(\.name) == ["machine.test (phones)"] && outline.rows[0].loads == 10)
        #expect(throws: StoreError.self) { try both.file.outline(by: .gate, of: RecordFilter()) }
    }

    @Test("a database without a store, and one of another version, are refused with the reason")
    func refused() throws {
        let server = try PostgresServer.shared()
        let database = try server.makeDatabase()
        let address = try server.address(database: database)
        do throws(StoreError) {
            _ = try StoreReader(address)
            Issue.record("the reader opened a database without a store")
        } catch {
            guard case .notInitialised = error else { throw error }
            #expect("\(error)".contains("atsgate store init"))
        }
        _ = try SharedSchema.make(on: server.connect(database: database))
        try server.connect(database: database).run("UPDATE version SET number = 7")
        let refusal = #expect(throws: StoreError.self) { try StoreReader(address) }
        #expect("\(try #require(refusal))".contains("version 7 of the schema"))
    }

    @Test("a login without the right to read, or without any, sees which role it needs")
    func rights() throws {
        let rig = try ShippingRig()
        for role in [FleetRole.writer, .viewer, nil] {
            let address = try rig.login(in: role)
            do throws(StoreError) {
                _ = try StoreReader(address)
                Issue.record("\(String(describing: role)) can read")
            } catch {
                guard case .notAllowed(address.shown, let cause) = error else { throw error }
                #expect(cause.contains("can grant it atsgate_") && cause.contains("atsgate_reader"), "\(cause)")
                #expect(cause.contains("atsgate store init --roles"), "\(cause)")
            }
        }
    }

    @Test("a recording without loads, and a tally of no loads, list no verdict")
    func emptyTallies() throws {
        var source = RecordedLoads()
        let both = try SharedCopy(source.all(5), empty: ["empty"])
        try both.rig.run(
            """
            DELETE FROM atsgate.load l USING atsgate.shared s WHERE s.id = l.shared AND s.verdict = 'blocked';
            UPDATE atsgate.tally SET loads = 0 WHERE verdict = 'blocked'
            """)
        let shared = try both.shared
        let overviews = try shared.overviews()
        let empty = try #require(overviews.first { $0.name == "empty" })
        #expect(empty.counts.isEmpty)
        #expect(overviews.allSatisfy { $0.counts[.blocked] == nil && !$0.counts.values.contains(0) })
        #expect(overviews.contains { !$0.counts.isEmpty })
        #expect(try shared.counts(recording: "empty").isEmpty)
        #expect(try shared.counts()[.blocked] == nil)
        let sql = "SELECT count(*) FROM atsgate.tally WHERE loads = 0 AND verdict <> 'blocked'"
        #expect(try both.rig.number(sql) == 1, "the recording without loads")
    }

    @Test("a maintainer can rename and delete recordings and prune days; a reader cannot")
    func changes() throws {
        var source = RecordedLoads()
        let both = try SharedCopy(source.all(30), empty: ["empty"])
        let outsider = try SharedRecordings(both.rig.login(in: .reader))
        for change in [{ try outsider.rename("nightly", to: "mine") }, { _ = try outsider.delete(["nightly"]) }] {
            do {
                try change()
                Issue.record("a reader changed the store")
            } catch StoreError.notAllowed(_, let cause) {
                #expect(cause.contains("can grant it atsgate_maintainer"), "\(cause)")
            }
        }
        let maintainer = try both.rig.login(in: .maintainer)
        let editor = try SharedRecordings(maintainer)
        try editor.rename("nightly", to: "weekly")
        #expect(throws: StoreError.nameTaken(path: maintainer.shown, name: "release")) {
            try editor.rename("weekly", to: "release")
        }
        let records = try both.file.records()
        let renamed = try both.shared.records(recording: "weekly")
        #expect(renamed.map(\.id) == records.filter { $0.recording == "nightly" }.map(\.id))
        #expect(renamed.allSatisfy { $0.recording == "weekly" })
        #expect(try both.rig.loadsOnce() == 120)
        #expect(try editor.delete(["weekly", "empty"]) == 60)
        #expect(try both.shared.recordings().map(\.name) == ["release"])
        #expect(
            try both.shared.records().map { RecordJSON.text($0) }
                == records.filter { $0.recording == "release" }.map { RecordJSON.text($0) })
        #expect(try both.rig.loadsOnce() == 60)
        let outcome = try editor.prune(DayRetention(ageMilliseconds: 86_400_000)) { _, _ in }
        #expect(outcome.loads == 60 && outcome.days.count == 2)
        #expect(try both.shared.recordings().isEmpty)
    }

    /// The follower's next loads, which may take some seconds.
    private func newIDs(_ follower: StoreFollower) throws -> [String] {
        let deadline = ContinuousClock.now + .seconds(20)
        while .now < deadline {
            let loads = try follower.next()
            if !loads.isEmpty { return loads.map(\.id) }
        }
        return []
    }

    private func pages(_ reader: StoreReader, _ filter: RecordFilter) throws -> [[String]] {
        var pages: [[String]] = []
        var place: StorePosition?
        repeat {
            let page = try reader.page(of: filter, before: place, limit: 33)
            pages.append(page.records.map { RecordJSON.text($0) })
            // As a browser returns it.
            place = try page.next.map { try #require(StorePosition($0.description)) }
        } while place != nil && pages.count < 100
        return pages
    }

    private func report(_ reader: StoreReader, _ format: ReportFormat, _ filter: RecordFilter) throws -> String {
        var text: [UInt8] = []
        try reader.report(as: format, of: filter) { text += $0 }
        return String(decoding: text, as: UTF8.self)
    }

    private func streamed(_ reader: StoreReader, _ format: ReportFormat, _ filter: RecordFilter) throws -> String {
        let stream = try ReportStream(reader, as: format, of: filter, ReportContext())
        var text: [UInt8] = []
        while let piece = try stream.next() { text += piece }
        return String(decoding: text, as: UTF8.self)
    }
}
