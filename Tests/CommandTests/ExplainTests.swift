import Foundation
import Testing

@Suite("explain", .timeLimit(.minutes(10)))
struct ExplainTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    @Test("0 when every load is permitted, 1 when one is denied")
    func exitCodes() throws {
        #expect(try Binary.run(["explain", "https://example.com/"], in: folder).status == 0)
        #expect(try Binary.run(["explain", "https://example.com/", "http://example.com/"], in: folder).status == 1)
    }

    @Test(
        "text that is no URL is a usage error, and nothing is printed",
        arguments: ["example.com", "ftp://a/", "http://"])
    func badURL(text: String) throws {
        let outcome = try Binary.run(["explain", "https://example.com/", text], in: folder)
        #expect(outcome.status == 64)
        #expect(outcome.output.isEmpty)
    }

    @Test("--json prints one object per URL and line, with all keys of the design")
    func json() throws {
        let outcome = try Binary.run(["explain", "--json", "http://example.com/", "https://example.com/"], in: folder)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 2)
        let keys: Set = [
            "url", "os", "loader", "ruling", "rule", "keyPath", "entry", "builtIn", "local", "demands", "notes",
        ]
        for line in lines {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(object.map { Set($0.keys) } == keys)
        }
    }

    @Test("a dictionary on standard input is obeyed")
    func standardInput() throws {
        let policy = #"{"NSExceptionDomains": {"example.com": {"NSExceptionAllowsInsecureHTTPLoads": true}}}"#
        let outcome = try Binary.run(["explain", "--policy", "-", "http://example.com/"], in: folder, input: policy)
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("permit"))
    }

    @Test("a key that does nothing is warned about on standard error")
    func warning() throws {
        let policy = #"{"NSAllowArbitraryLoads": true}"#
        let outcome = try Binary.run(["explain", "--policy", "-", "http://example.com/"], in: folder, input: policy)
        #expect(outcome.status == 1)
        #expect(outcome.prose.contains("NSAllowsArbitraryLoads"))
    }
}
