import Testing
import Text

@Suite("Patterns over names")
struct GlobTests {
    @Test(
        "a star is any text, a question mark one character, and nothing else is special",
        arguments: [
            ("api.example.com", "api.example.com", true), ("*.example.com", "a.b.example.com", true),
            ("*.example.com", "example.com", false), ("*", "", true), ("?", "", false), ("a?c", "abc", true),
            ("a?c", "ac", false), ("*a*b", "xaxxbxb", true), ("*a*b", "xaxxbx", false), ("**", "x", true),
            ("API.*", "api.lab.test", true), ("api", "API", true), ("[a]", "a", false), ("[a]", "[a]", true),
            ("", "", true), ("", "a", false), ("::1", "::1", true),
        ])
    func match(pattern: String, name: String, isExpected: Bool) {
        #expect(Glob(pattern).matches(name) == isExpected)
    }

    @Test("many stars take no time to speak of")
    func stars() {
        let pattern = String(repeating: "*a", count: 200) + "*b"
        #expect(!Glob(pattern).matches(String(repeating: "a", count: 5000)))
    }

    @Test("SQLite's form keeps brackets from being sets")
    func sqlite() {
        #expect(Glob("[::1]*").sqlite == "[[]::1]*")
    }
}
