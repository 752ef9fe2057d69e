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

    @Test("a run of stars and question marks is as many question marks and one star, in every form")
    func runs() {
        #expect(Glob("a*?**?b***").regularExpression == "^a...*b.*$")
        #expect(Glob("a*?**?b***").sqlite == "a??*b*")
        #expect(Glob("a*?**?b***").description == "a*?**?b***")
    }

    @Test("what a pattern stands for is what its characters say one by one")
    func everyShortPattern() {
        func stands(_ pattern: Substring, for name: Substring) -> Bool {
            guard let first = pattern.first else { return name.isEmpty }
            if first == "*", stands(pattern.dropFirst(), for: name) { return true }
            guard let letter = name.first, first == "*" || first == "?" || first == letter else { return false }
            return stands(first == "*" ? pattern : pattern.dropFirst(), for: name.dropFirst())
        }
        let patterns = words(of: "a*?", upTo: 5)
        let names = words(of: "ab", upTo: 4)
        let wrong = patterns.flatMap { pattern in
            names.filter { Glob(pattern).matches($0) != stands(pattern[...], for: $0[...]) }.map { (pattern, $0) }
        }
        #expect(patterns.count * names.count == 364 * 31 && wrong.isEmpty, "\(wrong.prefix(5))")
    }

    private func words(of letters: String, upTo length: Int) -> [String] {
        var (all, last) = ([""], [""])
        for _ in 0..<length {
            last = last.flatMap { word in letters.map { word + String($0) } }
            all += last
        }
        return all
    }

    @Test("SQLite's form keeps brackets from being sets")
    func sqlite() {
        #expect(Glob("[::1]*").sqlite == "[[]::1]*")
    }
}
