import Foundation
import Testing

/// The requests that a shell's completion script sends to the program while a command is typed.
@Suite("Completions", .timeLimit(.minutes(5)))
struct CompletionTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    /// - Parameter name: The option or argument, as the script names it.
    private func offered(for name: String, after words: [String]) throws -> [String] {
        let commands = Array(words.prefix { !$0.hasPrefix("-") })
        let typed = ["atsgate"] + words
        let request = ["---completion"] + commands + ["--", name, "\(typed.count - 1)", "\(typed.last?.count ?? 0)"]
        let outcome = try Binary.run(request + typed, in: folder)
        #expect(outcome.status == 0 && outcome.prose.isEmpty)
        return outcome.output.split(separator: "\n").map(String.init)
    }

    @Test("releases are offered newest first")
    func systems() throws {
        let all = try offered(for: "--os", after: ["proxy", "--os", ""])
        #expect(all.first == "macos27" && all.contains("ios9") && all.contains("auto"))
        #expect(try offered(for: "--os", after: ["proxy", "--os", "ios1"]) == ["ios18.4", "ios17", "ios10"])
    }

    @Test("rules are offered by prefix")
    func rules() throws {
        #expect(try offered(for: "--rule", after: ["report", "--rule", "trust.exp"]) == ["trust.expired"])
        #expect(try offered(for: "--rule", after: ["watch", "--rule", "ats."]).contains("ats.niap"))
    }

    @Test("recordings come from the store that the command would read, newest first; no store, no recordings")
    func recordings() throws {
        #expect(try offered(for: "--recording", after: ["report", "--recording", ""]) == [])
        for name in ["one", "two"] {
            let run = ["run", "--allow-no-loads", "--store", "other.sqlite", "--recording", name, "--", "true"]
            #expect(try Binary.run(run, in: folder).status == 0)
        }
        #expect(try offered(for: "--recording", after: ["report", "--recording", ""]) == [])
        let words = ["report", "--store", "other.sqlite", "--recording", ""]
        #expect(try offered(for: "--recording", after: words) == ["two", "one"])
        let first = ["report", "--store=other.sqlite", "--recording", "o"]
        #expect(try offered(for: "--recording", after: first) == ["one"])
        try folder.write("no store", to: "broken.sqlite")
        let broken = ["report", "--store", "broken.sqlite", "--recording", ""]
        #expect(try offered(for: "--recording", after: broken) == [])
    }

    @Test("the scripts of all three shells request these completions", arguments: ["bash", "zsh", "fish"])
    func scripts(shell: String) throws {
        let script = try Binary.run(["--generate-completion-script", shell], in: folder).output
        #expect(script.contains("---completion"))
        for format in ["sarif", "junit", "gitlab"] { #expect(script.contains(format)) }
    }
}
