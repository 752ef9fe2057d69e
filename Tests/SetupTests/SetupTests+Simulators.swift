import Foundation
import Setup
import Synchronization
import Testing

extension SetupTests {
    @Test(
        "the CA is added to the chosen simulators, including clones for parallel tests",
        arguments: [
            ("booted", ["AAAAAAAA-0000-0000-0000-000000000001", "BBBBBBBB-0000-0000-0000-000000000001"]),
            (
                "all",
                [
                    "AAAAAAAA-0000-0000-0000-000000000001", "AAAAAAAA-0000-0000-0000-000000000002",
                    "BBBBBBBB-0000-0000-0000-000000000001",
                ]
            ),
            ("aaaaaaaa-0000-0000-0000-000000000002", ["AAAAAAAA-0000-0000-0000-000000000002"]),
        ])
    func simulators(word: String, udids: [String]) throws {
        let mac = FakeMac()
        #expect(try setup(mac).useSimulators(word, certificate: certificate, proxy: nil).count == udids.count)
        #expect(mac.now.trusting == Set(udids))
        #expect(try setup(mac).useSimulators(word, certificate: certificate, proxy: nil).isEmpty)
        #expect(try setup(mac).undo([.mac]).undone.isEmpty)
        #expect(try setup(mac).undo([.simulators]).undone.count == udids.count)
        #expect(mac.now.trusting.isEmpty)
    }

    @Test("the simulators of Xcode Previews get the CA by their own device set, and lose it again")
    func previews() throws {
        let mac = FakeMac()
        let preview = "CCCCCCCC-0000-0000-0000-000000000001"
        mac.change { $0.previews = [preview] }
        let titles = try setup(mac).useSimulators("booted", certificate: certificate, proxy: nil)
        #expect(titles.last == "CA in iPhone 17 (of Xcode Previews)")
        #expect(
            mac.heard.contains([
                "xcrun", "simctl", "--set", "previews", "keychain", preview, "add-root-cert", certificate.path,
            ]))
        #expect(mac.now.trusting.contains(preview) && mac.now.trusting.count == 3)
        // A preview that Xcode has cloned since.
        let later = "CCCCCCCC-0000-0000-0000-000000000002"
        mac.change {
            $0.previews.append(later)
            $0.trusting.insert(later)
        }
        #expect(try setup(mac).undo([.simulators]).undone.count == 4)
        #expect(mac.now.trusting.isEmpty)
    }

    @Test("an unknown simulator is an error; if one simulator fails, none keeps the CA")
    func simulatorTrouble() throws {
        let mac = FakeMac()
        #expect(throws: SetupFailure.noSimulator("nope")) {
            try setup(mac).useSimulators("nope", certificate: certificate, proxy: nil)
        }
        mac.change { $0.fails = "BBBBBBBB-0000-0000-0000-000000000001 add-root-cert" }
        #expect(throws: SetupFailure.self) {
            try setup(mac).useSimulators("booted", certificate: certificate, proxy: gate())
        }
        expect(mac.now, sameAs: .usual)
        #expect(SetupJournal(path: path).isEmpty)
    }

    @Test("after a kill at any moment of a setup of simulators and proxy, the next start restores everything")
    func simulatorsKilled() throws {
        let moments = Mutex<[(FakeMac.State, Data?)]>([])
        let path = path
        let mac = FakeMac { state in
            moments.withLock { $0.append((state, FileManager.default.contents(atPath: path))) }
        }
        _ = try setup(mac).useSimulators("all", certificate: certificate, proxy: gate())
        let kills = moments.withLock { $0 }
        #expect(kills.count == 7)
        for (index, (state, journal)) in kills.enumerated() {
            try #require(journal).write(to: URL(filePath: path))
            let survivor = FakeMac(state)
            let (undone, waiting) = try setup(survivor).recover()
            #expect(undone.count == index + 1 && waiting.isEmpty)
            expect(survivor.now, sameAs: .usual, "killed after change \(index)")
            #expect(SetupJournal(path: path).isEmpty)
            #expect(!survivor.heard.contains { $0.contains("reset") })
        }
    }

    @Test("undo also removes the CA from clones that were made after the setup")
    func laterClones() throws {
        let mac = FakeMac()
        _ = try setup(mac).useSimulators("all", certificate: certificate, proxy: nil)
        let clone = "BBBBBBBB-0000-0000-0000-000000000002"
        mac.change {
            $0.laterClones = [clone]
            $0.trusting.insert(clone)
        }
        #expect(
            try setup(mac).undo([.simulators]).undone.map(\.title).contains(
                "CA in Clone 2 of iPhone 16 (a clone for parallel tests)"))
        #expect(mac.now.trusting.isEmpty)
    }

    @Test("a keychain is emptied only on request, and until then the step stays in the journal")
    func emptied() throws {
        let mac = FakeMac()
        _ = try setup(mac).useSimulators("booted", certificate: certificate, proxy: nil)
        mac.change { $0.fails = "sqlite3" }
        let (undone, waiting) = try setup(mac).undo([.simulators])
        #expect(undone.isEmpty)
        #expect(waiting.count == 2)
        #expect(!mac.heard.contains { $0.contains("reset") })
        #expect(try setup(mac).undo([.simulators], emptiesKeychains: true).undone.count == 2)
        #expect(mac.now.trusting.isEmpty)
        #expect(SetupJournal(path: path).isEmpty)
    }

    @Test("a journal of an earlier version without fingerprints is read, and its steps wait")
    func earlierJournal() throws {
        let mac = FakeMac()
        _ = try setup(mac).useSimulators("aaaaaaaa-0000-0000-0000-000000000002", certificate: certificate, proxy: nil)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let lines = text.split(separator: "\n").filter { !$0.contains("sha256") }.joined(separator: "\n")
        #expect(lines.split(separator: "\n").count == text.split(separator: "\n").count - 1)
        try Data(lines.utf8).write(to: URL(filePath: path))
        #expect(try setup(mac).undo([.simulators]).waiting == ["CA in iPad Air"])
        // A deleted simulator has no trust store any more.
        mac.change { $0.answers[Self.list] = #"{"devices" : {}}"# }
        #expect(try setup(mac).undo([.simulators]).waiting.isEmpty)
        #expect(SetupJournal(path: path).isEmpty)
    }

    private static let list = "xcrun simctl list devices --json"

    @Test(
        "a setup that is repeated after a kill is complete: the next start keeps it, and undo removes all of it")
    func madeAgain() throws {
        let moments = Mutex<[(FakeMac.State, Data?)]>([])
        let path = path
        let mac = FakeMac { state in
            moments.withLock { $0.append((state, FileManager.default.contents(atPath: path))) }
        }
        _ = try setup(mac).useSimulators("all", certificate: certificate, proxy: gate())
        for (index, (state, journal)) in moments.withLock({ $0 }).enumerated() {
            try #require(journal).write(to: URL(filePath: path))
            let survivor = FakeMac(state)
            _ = try setup(survivor).useSimulators("all", certificate: certificate, proxy: gate())
            #expect(try setup(survivor).recover().undone.isEmpty)
            expect(survivor.now, sameAs: mac.now, "killed after change \(index)")
            _ = try setup(survivor).undo([.mac, .simulators])
            expect(survivor.now, sameAs: .usual, "killed after change \(index)")
            #expect(SetupJournal(path: path).isEmpty)
        }
    }

    @Test("a failed setup does not touch clones from an earlier setup")
    func namedClones() throws {
        let mac = FakeMac()
        let clone = "BBBBBBBB-0000-0000-0000-000000000001"
        _ = try setup(mac).useSimulators(clone, certificate: certificate, proxy: nil)
        mac.change { $0.fails = "AAAAAAAA-0000-0000-0000-000000000002 add-root-cert" }
        #expect(throws: SetupFailure.self) {
            try setup(mac).useSimulators("all", certificate: certificate, proxy: nil)
        }
        #expect(mac.now.trusting == [clone])
        #expect(try setup(mac).undo([.simulators]).undone.count == 1)
        #expect(mac.now.trusting.isEmpty)
    }

    @Test("simulators that cannot be listed are not treated as deleted")
    func unlisted() throws {
        let mac = FakeMac()
        _ = try setup(mac).useSimulators("all", certificate: certificate, proxy: nil)
        mac.change { $0.answers[Self.list] = "CoreSimulator is updating\n" }
        #expect(try setup(mac).undo([.simulators]).waiting.count == 2)
        mac.change {
            $0.answers = [:]
            $0.trusting.insert("BBBBBBBB-0000-0000-0000-000000000001")
            $0.fails = "simctl list"
        }
        #expect(try setup(mac).undo([.simulators]).waiting.count == 2)
        mac.change { $0.fails = nil }
        #expect(try setup(mac).undo([.simulators]).waiting.isEmpty)
        #expect(mac.now.trusting.isEmpty)
        mac.change { $0.answers["xcrun simctl list devices available --json"] = "CoreSimulator is updating\n" }
        #expect(throws: SetupFailure.self) {
            try setup(mac).useSimulators("all", certificate: certificate, proxy: nil)
        }
    }

    /// A list without the data path of the first simulator.
    private static let withoutPath =
        #"{"devices" : {"a" : [{"udid" : "AAAAAAAA-0000-0000-0000-000000000001", "name" : "iPhone 16", "state" : "Booted"}]}}"#

    @Test("without a simulator's data path, no file of the Mac itself is read")
    func noFolder() throws {
        let mac = FakeMac()
        _ = try setup(mac).useSimulators(
            "AAAAAAAA-0000-0000-0000-000000000001", certificate: certificate, proxy: nil)
        mac.change { $0.answers[Self.list] = Self.withoutPath }
        #expect(try setup(mac).undo([.simulators]).waiting == ["CA in iPhone 16"])
        #expect(!mac.heard.contains { $0.contains { $0.hasPrefix("/private") } })
    }

    @Test("a step that cannot be undone after a failed setup is undone by a later start")
    func failedAndWaiting() throws {
        let mac = FakeMac()
        mac.change {
            $0.answers[Self.list] = Self.withoutPath
            $0.fails = "AAAAAAAA-0000-0000-0000-000000000002 add-root-cert"
        }
        #expect(throws: SetupFailure.self) {
            try setup(mac).useSimulators("all", certificate: certificate, proxy: nil)
        }
        #expect(try setup(mac).recover().waiting == ["CA in iPhone 16"])
        mac.change { $0.answers = [:] }
        #expect(try setup(mac).recover().undone.map(\.title) == ["CA in iPhone 16"])
        #expect(mac.now.trusting.isEmpty)
        #expect(SetupJournal(path: path).isEmpty)
    }

    @Test("a step that cannot be undone does not prevent the others from being undone")
    func undoPastFailure() throws {
        let mac = FakeMac()
        _ = try setup(mac).useSimulators("all", certificate: certificate, proxy: gate())
        mac.change { $0.fails = "remove-trusted-cert" }
        #expect(throws: SetupFailure.self) { try setup(mac).undo([.mac, .simulators]) }
        #expect(mac.now.trusting.isEmpty)
        #expect(mac.now.proxies["auto Wi-Fi"]?.isOn == true)
        #expect(try SetupJournal(path: path).titles() == ["CA trusted in your login keychain"])
        mac.change { $0.fails = nil }
        #expect(try setup(mac).undo([.mac, .simulators]).undone.count == 1)
        expect(mac.now, sameAs: .usual)
    }
}
