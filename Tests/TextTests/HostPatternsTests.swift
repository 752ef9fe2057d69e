import Testing
import Text

@Suite("host patterns")
struct HostPatternsTests {
    private let patterns = HostPatterns([
        "Good.test", "absolute.test.", "*.Wild.test", "2001:db8:0::1", "192.0.2.1", "127.1",
    ])

    @Test(
        "a host matches in every spelling of its name",
        arguments: [
            "good.test", "GOOD.test", "good.test.", "absolute.test", "absolute.test.", "a.wild.test", "a.b.wild.test",
            "a.wild.test.", "A.WILD.TEST", "2001:db8::1", "2001:DB8:0:0::1", "[2001:db8::1]", "192.0.2.1", "192.0.513",
            "0xc0.0.2.1", "127.0.0.1", "2130706433",
        ])
    func matching(host: String) {
        #expect(patterns.contains(host))
    }

    @Test(
        "other hosts do not match",
        arguments: [
            "", ".", "test", "bad.test", "agood.test", "a.good.test", "good.test..", "good.test.evil", "wild.test",
            "wild.test.", "awild.test", "2001:db8::2", "192.0.2.2", "*.wild.test.evil",
        ])
    func others(host: String) {
        #expect(!patterns.contains(host))
    }

    @Test("a wildcard does not match an excluded host or its subdomains; a pattern with that host's own name does")
    func excluded() throws {
        let wild = try ["*.wild.test", "a.wild.test"].map { try #require(HostPattern($0)) }
        let out = try ["mask.wild.test", "a.wild.test"].map { try #require(HostPattern($0)) }
        let patterns = HostPatterns(["own.test"]).union(HostPatterns(of: wild, excluding: out))
        #expect(patterns.contains("b.wild.test") && patterns.contains("a.wild.test") && patterns.contains("own.test"))
        for host in ["mask.wild.test", "MASK.wild.test.", "x.mask.wild.test", "x.a.wild.test"] {
            #expect(!patterns.contains(host), "\(host)")
        }
    }

    @Test(
        "invalid patterns match nothing",
        arguments: [
            "", "*", "*.", "*.*.test", "a*.test", "a/b", "a b", "*.192.0.2.1", "*.::1", "a:80", ".test", "a..b",
        ])
    func noPattern(text: String) {
        #expect(HostPattern(text) == nil)
        #expect(HostPatterns([text]).isEmpty)
        #expect(!HostPatterns([text]).contains(text))
    }

    @Test("a pattern keeps its original text")
    func text() {
        #expect(HostPattern("*.Example.com.")?.text == "*.Example.com.")
    }

    @Test("an empty list of patterns matches nothing")
    func none() {
        #expect(!HostPatterns([]).contains("a.test"))
    }
}
