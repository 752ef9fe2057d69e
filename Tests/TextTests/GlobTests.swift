import Testing
import Text

@Suite("glob patterns")
struct GlobTests {
    @Test(
        "a star matches any text, a question mark one character, and no other character is special",
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

    @Test("a pattern with many stars is matched quickly")
    func stars() {
        let pattern = String(repeating: "*a", count: 200) + "*b"
        #expect(!Glob(pattern).matches(String(repeating: "a", count: 5000)))
    }

    @Test("a run of stars and question marks is reduced to its question marks and one star, in every form")
    func runs() {
        #expect(Glob("a*?**?b***").regularExpression == "^a...*b.*$")
        #expect(Glob("a*?**?b***").sqlite == "a??*b*")
        #expect(Glob("a*?**?b***").description == "a*?**?b***")
    }

    @Test("every short pattern matches the same names as a character-by-character matcher")
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

    @Test("SQLite's form escapes brackets, which would begin a set")
    func sqlite() {
        #expect(Glob("[::1]*").sqlite == "[[]::1]*")
    }
}
