import Foundation
import PostgresServer
import Testing

/// Commands in docs work: code blocks are run, and options in sentences are looked up in the help. Blocks that need a
/// Mac are marked (`sh macos`).
@Suite("docs", .timeLimit(.minutes(10)))
struct DocsTests {
    private static let pages = try? ["docs", "docs/questions"].flatMap { folder in
        try FileManager.default.contentsOfDirectory(atPath: Repository.file(folder).path)
            .filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
    }

    private static func text(of page: String) throws -> String {
        try String(contentsOf: Repository.file(page), encoding: .utf8)
    }

    @Test("blocks of commands run, and print the output shown below them except for cut lines")
    func blocks() throws {
        let job = try CIJob()
        for path in ["Info.plist", "MyApp.app/Info.plist"] {
            try FileManager.default.createDirectory(
                atPath: job.folder.path("MyApp.app"), withIntermediateDirectories: true)
            try job.folder.write(job.folder.read("App/Info.plist"), to: path)
        }
        try job.pack(["MyApp.ipa", "Old.ipa", "New.ipa"])
        try job.folder.write("good.lab.test\n", to: "hosts.txt")
        // Before there is a CA.
        let printed = try Self.steps.filter { $0.output != nil }
        #expect(printed.count >= 1)
        for step in printed {
            let outcome = try job.run(Self.local(step.command) + " 2>&1 || true")
            #expect(
                step.matches(outcome.output.replacing("127.0.0.1:1", with: "127.0.0.1:9802")),
                "\(step.command) printed:\n\(outcome.output)")
        }
        _ = try job.run("atsgate run -q --recording nightly -- curl -s -o /dev/null https://good.lab.test/")
        let server = try PostgresServer.shared()
        let sharedStore = try server.url(database: server.makeDatabase())
        let steps = try Self.steps.filter { $0.output == nil && $0.command.hasPrefix("atsgate ") }
        #expect(steps.count >= 6)
        for step in steps {
            let outcome = try job.run(Self.local(step.command, sharedStore: sharedStore))
            #expect([0, 1].contains(outcome.status), "\(step.command): \(outcome.status) \(outcome.prose)")
        }
    }

    @Test("only one block is marked as not runnable here")
    func marked() throws {
        let marks = try #require(Self.pages).reduce(0) {
            try $0 + Self.text(of: $1).matches(of: /(?m)^```sh macos$/).count
        }
        #expect(marks == 1)
    }

    @Test("options in sentences exist in the command named with them")
    func options() throws {
        let folder = try Folder()
        var helps: [String: String] = [:]
        func help(_ words: [Substring]) throws -> String {
            let key = words.joined(separator: " ")
            if let known = helps[key] { return known }
            let arguments = words.map(String.init)
            let texts = try ["--help", "--help-hidden"].map { try Binary.run(arguments + [$0], in: folder).output }
            helps[key] = texts.joined()
            return texts.joined()
        }
        var count = 0
        let pages = try #require(Self.pages) + ["README.md"]
        for page in pages {
            for match in try Self.text(of: page).matches(of: /`atsgate ([a-z]+)( [a-z]+)?([^`]*)`/) {
                let inner = Self.groups.contains(String(match.1)) ? match.2?.dropFirst() : nil
                let words = [match.1] + [inner].compactMap(\.self)
                // Words after a lone -- belong to another program.
                let own = String(match.3).split(separator: " -- ", maxSplits: 1).first ?? ""
                for option in own.matches(of: /--[a-z][a-z-]+/) {
                    count += 1
                    #expect(try help(words).contains(option.0), "\(page): \(match.0)")
                }
                if own.isEmpty { #expect(try !help(words).isEmpty, "\(page): \(match.0)") }
            }
        }
        #expect(count >= 15)
    }

    @Test("the pages that are read first use only options that --help of the command shows")
    func shownOptions() throws {
        let folder = try Folder()
        var helps: [[String]: String] = [:]
        var count = 0
        let first = ["setup", "coming-from", "gateway", "ci/README", "page", "report", "audit", "lint"]
        for page in ["README.md"] + first.map({ "docs/\($0).md" }) {
            let spans = try Self.text(of: page).matches(of: /`(atsgate [^`\n]*)`/).map { String($0.1) }
            for command in try spans + Transcript(of: page).steps.map(\.command) where command.hasPrefix("atsgate ") {
                // Words after a lone -- or a pipe belong to another program.
                let words = command.split(separator: " ").prefix { $0 != "--" && $0 != "|" }.map(String.init)
                let names = Self.groups.contains(words[1]) ? words[1...].prefix(2) : words[1...].prefix(1)
                let known = try helps[Array(names)] ?? Binary.run(Array(names) + ["--help"], in: folder).output
                helps[Array(names)] = known
                for option in words.compactMap({ $0.prefixMatch(of: /--[a-z][a-z-]+/)?.0 }) {
                    count += 1
                    #expect(known.contains("\(option) ") || known.contains("\(option)\n"), "\(page): \(command)")
                }
            }
        }
        #expect(count >= 40)
        #expect(try Binary.run(["--help"], in: folder).output.contains("\n  lab "))
    }

    private static let groups: Set = ["ca", "evidence", "policy", "recordings", "setup", "store"]

    /// The steps of all pages.
    private static var steps: [Transcript.Step] {
        get throws { try (pages ?? []).flatMap { try Transcript(of: $0).steps } }
    }

    /// Replaces hosts that do not exist, a port that may be in use, and commands that run until they are stopped.
    private static func local(_ command: String, sharedStore: String = "") -> String {
        var words = command.replacing(/(api|staging)\.example\.com(:\d+)?/, with: "good.lab.test")
            .replacing(/doctor(?!.* --store)/, with: "doctor --gate 127.0.0.1:1")
            .replacing(/postgres:\/\/[a-z0-9]+@db\.lab\.example\/ats/, with: sharedStore)
        if words.hasPrefix("atsgate proxy") { words += " --sample-config" }
        // timeout(1) is not part of macOS.
        if words.hasPrefix("atsgate watch") {
            words = "perl -e '$child = fork or exec @ARGV; sleep 2; kill q(INT), $child; wait; exit $? >> 8' " + words
        }
        return words
    }
}
