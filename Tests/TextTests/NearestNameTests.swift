import Testing
import Text

@Suite("suggestions for misspelled names")
struct NearestNameTests {
    private let names = ["proxy", "probe", "report", "replay", "run", "lint"]

    @Test(
        "a misspelled name finds the right one",
        arguments: [("prxy", "proxy"), ("PROXY", "proxy"), ("reprt", "report"), ("rn", "run"), ("lnit", "lint")])
    func near(text: String, name: String) {
        #expect(text.nearest(among: names) == name)
    }

    @Test("text that resembles no name finds none", arguments: ["certificate", "", "xyzzy", "abcdefgh"])
    func far(text: String) {
        #expect(text.nearest(among: ["proxy", "lint"]) == nil)
    }

    @Test("the limit is the number of letters that may differ")
    func limits() {
        #expect("abcd".nearest(among: ["abxy"], within: 2) == "abxy")
        #expect("abcd".nearest(among: ["abxy"], within: 1) == nil)
        #expect("ab".nearest(among: ["abcd"], within: 1) == nil)
        #expect("".nearest(among: ["a"], within: 1) == "a")
        #expect("a".nearest(among: [], within: 9) == nil)
    }

    @Test("of equally near names the first one is chosen")
    func ties() {
        #expect("a".nearest(among: ["b", "c"], within: 1) == "b")
    }

    @Test("a megabyte of text takes hardly any time", .timeLimit(.minutes(1)))
    func longText() {
        #expect(String(repeating: "x", count: 1_000_000).nearest(among: names, within: 4) == nil)
    }
}
