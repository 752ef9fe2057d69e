import ATSPolicy
import Diagnosis
import Testing

@Suite("explanations of roots")
struct RootExplanationTests {
    @Test("a name, a fingerprint and a pin name the same root")
    func subjects() throws {
        let name = try #require(RootExplanation("sectigo public server authentication root r46"))
        #expect(name.roots.count == 1)
        #expect(name.words.contains("Sectigo Public Server Authentication Root R46"))
        #expect(name.words.contains("since iOS 17.4 (documented)"))
        #expect(name.words.contains("since macOS 14.4 (source)"))
        #expect(name.words.contains("since visionOS 1.1 (inferred from iOS)"))
        let print = "7bb647a62aeeac88bf257aa522d01ffea395e0ab45c73f93f65654ec38f25a06"
        #expect(RootExplanation(print)?.roots == name.roots)
        let colons = stride(from: 0, to: 64, by: 2).map { offset in
            String(print.uppercased().dropFirst(offset).prefix(2))
        }
        #expect(RootExplanation(colons.joined(separator: ":"))?.roots == name.roots)
        #expect(RootExplanation("hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=")?.roots.first?.name == "GTS Root R1")
    }

    @Test("a part of a name lists the roots with it; hosts, words and unknown names list none")
    func others() {
        #expect(RootExplanation("isrg root")?.roots.map(\.name) == ["ISRG Root X1", "ISRG Root X2"])
        for text in ["example.com", "ISRG", "no such root", "https://a.example/b c"] {
            #expect(RootExplanation(text) == nil, "\(text)")
        }
    }

    @Test("a hash that the table lacks gets a hint on private CAs")
    func unknown() {
        let none = RootExplanation(String(repeating: "ab", count: 32))
        #expect(none?.words.contains("--extra-ca") == true)
        #expect(none?.json == #"{"roots":[],"newest":"26.0"}"#)
    }
}
