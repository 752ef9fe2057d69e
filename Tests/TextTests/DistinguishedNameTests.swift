import Seeded
import Testing
import Text

@Suite("distinguished names")
struct DistinguishedNameTests {
    private func words(_ text: String) -> [String] {
        DistinguishedName(text).attributes.map { "\($0.type ?? "-"): \($0.value)" }
    }

    @Test(
        "attributes are read as written by RFC 2253 section 3",
        arguments: [
            ("CN=Steve Kille,O=Isode Limited,C=GB", ["CN: Steve Kille", "O: Isode Limited", "C: GB"]),
            ("OU=Sales+CN=J. Smith,O=Widget Inc.", ["OU: Sales", "CN: J. Smith", "O: Widget Inc."]),
            (#"CN=L. Eagle,O=Sue\, Grabbit and Runn"#, ["CN: L. Eagle", "O: Sue, Grabbit and Runn"]),
            (#"CN=Before\0DAfter"#, ["CN: Before\rAfter"]), (#"SN=Lu\C4\8Di\C4\87"#, ["SN: Lučić"]),
            (##"CN=a\+b\=c\"d\\e\;f\<g\>h\#i"##, [#"CN: a+b=c"d\e;f<g>h#i"#]),
            ("1.3.6.1=#04024869", ["1.3.6.1: #04024869"]),
            ("CN=a=b#c", ["CN: a=b#c"]), ("CN=", ["CN: "]), ("cn=a,Cn=b", ["CN: a", "CN: b"]), ("", []),
        ])
    func attributes(text: String, attributes: [String]) {
        #expect(words(text) == attributes)
    }

    @Test(
        "spaces around separators, quotes and semicolons are read as in RFC 2253 section 4",
        arguments: [
            (" CN = a b , O=c;  OU = d + L=e ", ["CN: a b", "O: c", "OU: d", "L: e"]),
            (#"CN=\ a\ ,O=\  b \20"#, ["CN:  a ", "O:   b  "]),
            (#"CN="a, b; c + d=" , O=e"#, ["CN: a, b; c + d=", "O: e"]),
            (#"CN=" a ""#, ["CN:  a "]), (#"CN="a\"b",O=c"#, [#"CN: a"b"#, "O: c"]),
        ])
    func blanks(text: String, attributes: [String]) {
        #expect(words(text) == attributes)
    }

    @Test(
        "malformed names are read partially and do not hide later attributes",
        arguments: [
            ("nobody,CN=a", ["-: nobody", "CN: a"]), ("=b,CN=a", ["-: =b", "CN: a"]),
            ("a b=c,CN=a", ["-: a b=c", "CN: a"]),
            (#"O=\x\4,CN=a"#, ["O: x4", "CN: a"]), (#"CN=a\"#, ["CN: a"]), (#"CN=a\4"#, ["CN: a4"]),
            (#"CN="a"#, ["CN: a"]), (#"O=b"c,CN=a"#, [#"O: b"c"#, "CN: a"]), (#"O="b"c,CN=a"#, ["O: bc", "CN: a"]),
            ("O=b,\u{301}x=c,CN=a", ["O: b", "-: \u{301}x=c", "CN: a"]), (#"a\=b"#, ["-: a=b"]),
        ])
    func others(text: String, attributes: [String]) {
        #expect(words(text) == attributes)
    }

    @Test("the first CN is the common name, at any position; an escaped separator begins no attribute")
    func commonName() {
        #expect(DistinguishedName("O=x+cn=a,CN=b").commonName == "a")
        #expect(DistinguishedName(#"O=x\,CN=b"#).commonName == nil)
        #expect(DistinguishedName("SCN=b").commonName == nil)
    }

    @Test("escaped text reads back unchanged, and no unescaped text is lost")
    func random() {
        var random = SeededGenerator(seed: 61)
        for _ in 0..<500 {
            let length = Int.random(in: 0..<12, using: &random)
            let value = String((0..<length).compactMap { _ in ", =+;\"\\<>#aN\n".randomElement(using: &random) })
            let hex = value.utf8.map { "\\" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            #expect(words("O=x,CN=\(hex),C=y") == ["O: x", "CN: " + value, "C: y"], "\(value)")
            #expect(DistinguishedName(value).attributes.map(\.text).joined() == value)
        }
    }
}
