import Testing
import Text

@Suite("search for ASCII words in text")
struct AsciiTests {
    @Test("a word is found at any position, and only as a whole")
    func holds() {
        let agent = "Shop/12 CFNetwork/3860 Darwin/25"
        for word in ["Shop/", " CFNetwork/", " Darwin/25", agent, ""] { #expect(agent.holds(word), "\(word)") }
        for word in [" CFNetwork ", "shop/", " Darwin/256", agent + " "] { #expect(!agent.holds(word), "\(word)") }
        #expect("aaab".holds("aab") && " C CFN".holds(" CFN"))
        #expect(!"".holds("a") && "".holds(""))
    }

    @Test("non-ASCII or invalid bytes next to a word do not hide it")
    func beside() {
        #expect("Åpp/1 CFNetwork/\u{301}2".holds(" CFNetwork/"))
        #expect(String(decoding: [0xFF, 0x20, 0x43, 0x2F, 0xC3], as: UTF8.self).holds(" C/"))
    }
}
