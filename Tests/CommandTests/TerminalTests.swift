import Foundation
import Testing

/// Keys of a dictionary are untrusted text. They must not move the cursor, change colours, reorder text or begin a
/// line.
@Suite("untrusted text on a terminal", .timeLimit(.minutes(10)))
struct TerminalTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    private static let policy = #"""
        {"NSExceptionDomains": {"\u001b[31mevil\u202e.test": {"NSTypo\u009b1m": true}, "a\u2028b.test": {}},
         "NSAl\r\nforged: \u001blow": true}
        """#

    private func expectPlain(_ outcome: Binary.Outcome) {
        let text = outcome.output + outcome.prose
        let steering = text.unicodeScalars.filter {
            $0 != "\n" && ($0.properties.generalCategory == .control || $0.properties.isBidiControl)
                || $0.properties.generalCategory == .lineSeparator
        }
        #expect(steering.isEmpty, "\(text.debugDescription)")
        #expect(text.contains(#"\u{1b}"#))
        #expect(!text.contains("\nforged"))
    }

    @Test("lint escapes control characters", arguments: ["text", "xcode", "markdown", "github"])
    func lint(format: String) throws {
        let policy = try folder.write(Self.policy, to: "a.json")
        expectPlain(try Binary.run(["lint", "--format", format, policy], in: folder))
    }

    @Test("explain escapes control characters")
    func explain() throws {
        let policy = try folder.write(Self.policy, to: "a.json")
        let outcome = try Binary.run(["explain", "--policy", policy, "https://a.test/\u{9B}1m\u{202E}"], in: folder)
        #expect(outcome.status == 0)
        expectPlain(outcome)
    }

    @Test(
        "an unreadable file is reported without control characters",
        arguments: [["lint"], ["explain", "https://a.test/", "--policy"]])
    func parseError(command: [String]) throws {
        let policy = try folder.write(#"{"\u001b[31mevil\r\nerror: ": {"x": nul"#, to: "a.json")
        let outcome = try Binary.run(command + [policy], in: folder)
        #expect(outcome.status == 65)
        expectPlain(outcome)
    }
}
