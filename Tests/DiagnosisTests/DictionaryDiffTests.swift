import ATSPolicy
import Declarations
import Diagnosis
import Testing

@Suite("differences between two dictionaries")
struct DictionaryDiffTests {
    private func diff(_ old: String, _ new: String) throws -> String {
        func read(_ text: String, _ name: String) throws -> Declaration {
            try DeclarationReader.parse(Array(text.utf8), source: name)
        }
        return try DictionaryDiff(from: read(old, "old"), to: read(new, "new"), on: .newest).text
    }

    @Test("rulings come first, each with its old and new reason; the changed lines follow")
    func entry() throws {
        let text = try diff(
            #"{"NSExceptionDomains": {"a.test": {"NSExceptionAllowsInsecureHTTPLoads": true}}}"#,
            #"{"NSExceptionDomains": {"a.test": {"NSExceptionMinimumTLSVersion": "TLSv1.3"}}}"#)
        #expect(
            text.hasPrefix("On \(OSProfile.newest.title):\nhttp a.test\n  - allowed: an entry for this host decides"))
        #expect(text.contains("\n  + blocked: an entry for this host decides, so the global keys do not count\n"))
        #expect(text.contains("\nhttps a.test\n"))
        #expect(text.contains("TLS 1.3 or newer"))
        #expect(!text.contains("any other host") && !text.contains("a local host") && !text.contains("any.a.test"))
        #expect(
            text.contains("\n--- old\n+++ new\n") && text.contains("\n-\t\t\t\t<key>NSExceptionAllowsInsecureHTTPLoads")
        )
    }

    @Test("subdomains, other hosts, local hosts and loaders are listed only if their rulings differ")
    func others() throws {
        let below = try diff(
            #"{"NSExceptionDomains": {"a.test": {"NSExceptionAllowsInsecureHTTPLoads": true}}}"#,
            #"""
            {"NSExceptionDomains":
                {"a.test": {"NSExceptionAllowsInsecureHTTPLoads": true, "NSIncludesSubdomains": true}}}
            """#)
        #expect(below.contains("http any.a.test\n  - blocked") && !below.contains("http a.test\n"))
        let all = try diff(#"{"NSAllowsArbitraryLoads": false}"#, #"{"NSAllowsArbitraryLoads": true}"#)
        #expect(all.contains("http any other host\n  - blocked") && all.contains("+ allowed: NSAllowsArbitraryLoads"))
        let web = try diff("{}", #"{"NSAllowsArbitraryLoadsInWebContent": true}"#)
        #expect(web.contains("http any other host, requested by web content\n  - blocked"))
        #expect(!web.contains("http any other host\n"))
    }

    @Test("dictionaries with the same rulings differ only in their text, and equal ones not at all")
    func alike() throws {
        let text = try diff("{}", #"{"NSAllowsArbitraryLoads": false}"#)
        #expect(text.hasPrefix("No ruling changes on ") && text.contains("+\t\t<false/>"))
        #expect(try diff(#"{"NSAllowsArbitraryLoads": true}"#, #"{ "NSAllowsArbitraryLoads" : true }"#).isEmpty)
    }

    @Test("long dictionaries are compared in bounded memory")
    func long() throws {
        func dictionary(_ beginning: String) -> String {
            let entries = (0..<4_000).map { #""\#(beginning)\#($0).test": {}"# }
            return #"{"NSExceptionDomains": {\#(entries.joined(separator: ","))}}"#
        }
        let text = try diff(dictionary("a"), dictionary("b"))
        #expect(text.contains("\n-\t\t\t<key>a7.test</key>\n") && text.contains("\n+\t\t\t<key>b7.test</key>\n"))
    }
}
