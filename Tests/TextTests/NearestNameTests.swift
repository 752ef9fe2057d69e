import Testing
import Text

@Suite("What was probably meant")
struct NearestNameTests {
    private let names = ["proxy", "probe", "report", "replay", "run", "lint"]

    @Test(
        "a slip of the pen finds its name",
        arguments: [("prxy", "proxy"), ("PROXY", "proxy"), ("reprt", "report"), ("rn", "run"), ("lnit", "lint")])
    func near(text: String, name: String) {
        #expect(text.nearest(among: names) == name)
    }

    @Test("what is far from everything finds nothing", arguments: ["certificate", "", "xyzzy", "abcdefgh"])
    func far(text: String) {
        #expect(text.nearest(among: ["proxy", "lint"]) == nil)
    }

    @Test("the limit is how many letters may differ")
    func limits() {
        #expect("abcd".nearest(among: ["abxy"], within: 2) == "abxy")
        #expect("abcd".nearest(among: ["abxy"], within: 1) == nil)
        #expect("ab".nearest(among: ["abcd"], within: 1) == nil)
        #expect("".nearest(among: ["a"], within: 1) == "a")
        #expect("a".nearest(among: [], within: 9) == nil)
    }

    @Test("of names equally near the first one is meant")
    func ties() {
        #expect("a".nearest(among: ["b", "c"], within: 1) == "b")
    }

    @Test("a megabyte of text costs nothing", .timeLimit(.minutes(1)))
    func longText() {
        #expect(String(repeating: "x", count: 1_000_000).nearest(among: names, within: 4) == nil)
    }
}
