import Foundation
import HostileStores
import Processes
import Testing

/// Forged stores, read by the built command and by a running gate.
@Suite("forged stores", .timeLimit(.minutes(10)))
struct HostileStoreTests {
    private static let commands = [
        ["report", "--all", "--format", "html", "--store", "s.sqlite"], ["recordings", "check", "--store", "s.sqlite"],
        ["recordings", "list", "--store", "s.sqlite"], ["replay", "--os", "ios17", "--store", "s.sqlite"],
        ["recordings", "import", "s.sqlite", "--store", "own.sqlite"],
        ["recordings", "delete", "nightly", "--store", "s.sqlite"],
    ]

    /// A sound store, made by a gate once.
    private static let sound = Result {
        let folder = try Folder()
        for (name, hosts) in [
            ("nightly", "http://a.test/ http://b.test/x"), ("other", "http://c.test/ http://a.test/"),
        ] {
            _ = try Binary.run(
                ["run", "-q", "--store", "s.sqlite", "--recording", name]
                    + ["--", "sh", "-c", "curl -s -o /dev/null \(hosts) || true"], in: folder)
        }
        return try Data(contentsOf: folder.url.appending(path: "s.sqlite"))
    }

    private func folderWithStore() throws -> Folder {
        let folder = try Folder()
        try Self.sound.get().write(to: folder.url.appending(path: "s.sqlite"))
        return folder
    }

    @Test(
        "no command uses more than 5 seconds of a processor or 200 MB, or ends by a signal",
        arguments: HostileStore.crafted)
    func commands(store: HostileStore) throws {
        let folder = try folderWithStore()
        try store.forge(at: folder.path("s.sqlite"))
        for command in Self.commands {
            let found = try Launch(command, in: folder, limits: (200 << 10, 5)).wait()
            #expect([0, 1, 3, 65].contains(found.status), "\(command): \(found.prose)")
        }
    }

    /// The page's requests to the store: a path, and the body to post there.
    private static let questions: [(path: String, body: String?)] = [
        ("records?limit=1000", nil), ("records?view=row", nil), ("records/none", nil), ("groups", nil),
        ("recordings", nil), ("recordings/diff?before=nightly&after=other", nil), ("policy?recording=nightly", nil),
        ("report?format=html&recording=nightly", nil), ("report?format=jsonl", nil), ("report?format=junit", nil),
        ("metrics", nil), ("state", nil), ("what-if", #"{"os": "ios17", "recording": "nightly"}"#), ("health", nil),
    ]

    @Test("no request of the page ends a gate that records into a forged store", arguments: HostileStore.crafted)
    func running(store: HostileStore) throws {
        let folder = try folderWithStore()
        let gate = try Launch(
            [
                "proxy", "--listen", "127.0.0.1:0", "--port-file", "port", "--store", "s.sqlite", "--recording",
                "nightly", "--web", "127.0.0.1:0", "--web-url-file", "page", "--console", "none",
            ], in: folder, limits: (1 << 20, 3_600))
        try #require(gate.waits { !folder.read("port").isEmpty && !folder.read("page").isEmpty }, "\(gate.said)")
        let site = try PageAddress(folder.read("page"))
        #expect(try load(by: folder) == "403")
        // The report exists once the load is stored.
        let sound = try site.answers(to: [("recordings", nil), ("report?format=jsonl", nil)], in: folder)
        #expect(sound.map(\.status) == [200, 200])
        try store.forge(at: folder.path("s.sqlite"))
        let answers = try site.answers(to: Self.questions, in: folder)
        for (question, answer) in zip(Self.questions, answers) {
            #expect(answer.status >= 200 && answer.seconds < 5, "\(question.path): \(answer)")
        }
        #expect(try load(by: folder) == "403")
        #expect(try site.answers(to: [("health", nil)], in: folder).map(\.status) == [200])
        let outcome = gate.stop()
        // 74: the gate could not record, and reported it.
        #expect([0, 74].contains(outcome.status), "\(outcome.prose)")
        #expect(!outcome.prose.contains("the end took too long"), "\(outcome.prose)")
    }

    /// The status that a client of the gate gets.
    private func load(by folder: Folder) throws -> String {
        let port = folder.read("port").split(separator: "\n").first.map(String.init) ?? ""
        return try curl([
            "-w", "%{http_code}", "-o", "/dev/null", "-x", "http://127.0.0.1:\(port)", "http://blocked.test/",
        ])
    }
}

/// The live page's address with the token in it.
private struct PageAddress {
    let site: String
    let token: String

    init(_ text: String) throws {
        let parts = text.trimmingCharacters(in: .whitespacesAndNewlines).components(separatedBy: "/?token=")
        guard parts.count == 2 else { throw TestFailure(description: "no address of a page: \(text)") }
        (site, token) = (parts[0], parts[1])
    }

    /// One status for each request, 0 if none came within 20 seconds.
    func answers(
        to questions: [(path: String, body: String?)], in folder: Folder
    ) throws -> [(status: Int, seconds: Double)] {
        let words = questions.map { question in
            [
                "-m", "20", "-o", "/dev/null", "-w", "%{http_code} %{time_total}\n", "-H",
                "Authorization: Bearer \(token)",
            ]
                + (question.body.map { ["-H", "Content-Type: application/json", "-d", $0] } ?? [])
                + ["\(site)/api/v1/\(question.path)"]
        }
        let lines = try curl(Array(words.joined(separator: ["--next", "-s"]))).split(separator: "\n")
        try #require(lines.count == questions.count)
        return lines.map { line in
            let numbers = line.split(separator: " ").compactMap { Double($0) }
            return (Int(numbers.first ?? 0), numbers.last ?? .infinity)
        }
    }
}

/// Returns the standard output of curl, even if its requests fail.
private func curl(_ words: [String]) throws -> String {
    let curl = Process()
    let output = Pipe()
    curl.executableURL = URL(filePath: "/usr/bin/env")
    curl.arguments = ["curl", "-s"] + words
    curl.standardOutput = output
    try curl.run()
    let written = output.fileHandleForReading.readDataToEndOfFile()
    curl.waitForEnd()
    return String(decoding: written, as: UTF8.self)
}
