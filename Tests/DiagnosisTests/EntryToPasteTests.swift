import ATSPolicy
import Declarations
import Diagnosis
import Testing

@Suite("entries to paste")
struct EntryToPasteTests {
    private func declaration(_ json: String) throws -> Declaration {
        try DeclarationReader.parse(Array(json.utf8), source: "a.json")
    }

    private func explain(_ url: String, _ json: String, on system: OSProfile = .newest) throws -> Explanation {
        try Explanation(
            url: url, judge: Judge(declaration: declaration(json), profile: system), loader: .app)
    }

    @Test("the XML of a fix is a dictionary that allows the load", arguments: ["a.example.com", "203.0.113.7"])
    func readsBack(host: String) throws {
        let toPaste = try #require(try explain("http://\(host)/", "{}").toPaste)
        let text = "<plist><dict>\(toPaste.xml.joined(separator: "\n"))</dict></plist>"
        #expect(try explain("http://\(host)/", text).isPermitted)
        #expect(
            try explain("http://\(host)/", "{}").words().contains("  plist      <key>NSAppTransportSecurity</key>\n"))
    }

    @Test("commands add keys that are absent and set those that are present, with colons of a host escaped")
    func commands() throws {
        let domain = "/usr/libexec/PlistBuddy -c 'Add :NSAppTransportSecurity:NSExceptionDomains:"
        let plain = try explain("http://a.com/", "{}")
        #expect(
            plain.toPaste?.plistBuddy == [domain + "a.com:NSExceptionAllowsInsecureHTTPLoads bool true' Info.plist"])
        #expect(plain.words(asCommands: true).contains("  commands   /usr/libexec/PlistBuddy -c 'Add :"))
        let present = #"{"NSExceptionDomains": {"a.com": {"NSExceptionAllowsInsecureHTTPLoads": false}}}"#
        #expect(try explain("http://a.com/", present).toPaste?.plistBuddy.first?.contains("-c 'Set :") == true)
        #expect(
            try explain("http://[2001:db8::1]/", "{}").toPaste?.plistBuddy.first?.contains(#":2001\:db8\:\:1:"#) == true
        )
    }

    @Test("an entry for the parent without NSIncludesSubdomains is the first fix, if it would allow the load")
    func nearMiss() throws {
        let json = #"{"NSExceptionDomains": {"example.com": {"NSExceptionAllowsInsecureHTTPLoads": true}}}"#
        let near = try explain("http://sub.example.com/", json)
        #expect(near.fixes.contains("Set NSIncludesSubdomains to true in the entry example.com of NSExceptionDomains."))
        #expect(near.toPaste?.plistBuddy.first?.contains(":example.com:NSIncludesSubdomains bool true") == true)
        let other = #"{"NSExceptionDomains": {"example.com": {"NSExceptionRequiresForwardSecrecy": false}}}"#
        #expect(
            try explain("http://sub.example.com/", other).toPaste?.plistBuddy.first?.contains(":sub.example") == true)
        #expect(try declaration(json).nearMisses(for: "example.com").isEmpty)
        #expect(try declaration(json).nearMisses(for: "a.b.example.com").map(\.domain) == ["example.com"])
    }

    @Test("a permitted load, and one that no entry allows, have none")
    func none() throws {
        #expect(try explain("https://a.com/", "{}").toPaste == nil)
        #expect(try explain("http://203.0.113.7/", "{}", on: .iOS9).toPaste == nil)
    }
}
