import Testing
import Text

@Suite("hosts as text")
struct HostGrammarTests {
    private static let label63 = String(repeating: "a", count: 63)
    /// 253 bytes: three labels of 63, one of 61, and three dots.
    private static let name253 = [label63, label63, label63, String(label63.dropLast(2))].joined(separator: ".")

    private func isValid(_ host: String) -> Bool {
        let answer = HostGrammar.isValidHost(host)
        #expect(Array(host.utf8).withUnsafeBytes { HostGrammar.isValidHost($0) } == answer)
        return answer
    }

    @Test(
        "names in practical use are valid hosts",
        arguments: [
            "a", "localhost", "example.com", "EXAMPLE.com", "example.com.", "_dmarc.example.com", "a_b.test", "1",
            "1.2",
            "192.0.2.1", "r3---sn-x.example", "-a.test", "a-.test", "xn--bcher-kva.example", "::1", "2001:db8::1",
            "123.test", "a.1", label63 + ".test", name253, name253 + ".",
        ])
    func names(host: String) {
        #expect(isValid(host))
    }

    @Test(
        "text that could be mistaken for something else is not a valid host",
        arguments: [
            "", ".", "..", "a..b", ".a", "a..", "*.com", "*", "a/b", "a?b", "a#b", "a/b?c#d", "a\0", "\0", "a b", " a",
            "a\t", "a@b", "a:80", "[::1]", "::1%eth0", "a%41", "a\\b", "a,b", "a;b", "a'b", "a\"b", "a!b", "a~b", "a=b",
            "b\u{fc}cher.example", "\u{3002}", "a\u{1b}[2J", "a\r\n", label63 + "a", label63 + "a.test", "x." + name253,
            name253 + "a", String(repeating: "a.", count: 150), String(repeating: "a", count: 300),
        ])
    func others(host: String) {
        #expect(!isValid(host))
    }

    @Test(
        "a host is at or below another by whole labels, compared case-sensitively",
        arguments: [
            ("example.com", true, false), ("a.example.com", true, true), ("b.a.example.com", true, true),
            (".example.com", true, true), ("aexample.com", false, false), ("com", false, false), ("", false, false),
            ("example.com.a", false, false), ("A.example.com", true, true), ("a.EXAMPLE.com", false, false),
            ("EXAMPLE.COM", false, false), ("a.example.com.", false, false), ("example.com.", false, false),
        ])
    func below(host: String, isAtOrBelow: Bool, isBelow: Bool) {
        #expect(HostGrammar.isHost(host, atOrBelow: "example.com") == isAtOrBelow)
        #expect(HostGrammar.isHost(host[...], below: "example.com") == isBelow)
    }

    @Test("bytes that are not UTF-8 are not a host")
    func brokenBytes() {
        #expect(![0x61, 0xFF].withUnsafeBytesOfBytes { HostGrammar.isValidHost($0) })
        #expect(![0xC3].withUnsafeBytesOfBytes { HostGrammar.isValidName($0) })
    }

    @Test("no single byte except letters, digits, hyphen and underscore is a valid name")
    func everyByte() {
        for byte in UInt8.min...UInt8.max {
            let scalar = Unicode.Scalar(byte)
            let isGood =
                byte < 0x80 && (scalar.properties.isAlphabetic || "0123456789-_".unicodeScalars.contains(scalar))
            #expect([byte].withUnsafeBytesOfBytes { HostGrammar.isValidName($0) } == isGood, "\(byte)")
        }
    }

    @Test(
        "a fault has its kind and its offset",
        arguments: [
            ("", .hostMissing, 0), ("a..b", .emptyLabel, 2), (".", .emptyLabel, 0), ("ab/c", .badCharacter, 2),
            ("a\u{fc}", .foreignLetter, 1), (label63 + "a", .longLabel, 63), (name253 + "b.c", .hostTooLong, 253),
        ] as [(String, AuthorityFault.Kind, Int)])
    func places(name: String, kind: AuthorityFault.Kind, offset: Int) {
        #expect(HostGrammar.fault(inName: name[...]) == AuthorityFault(kind, at: offset))
    }

    @Test(
        "all spellings of one host normalize to the same text",
        arguments: [
            ("Example.COM", "example.com"), ("example.com.", "example.com"), ("example.com", "example.com"),
            ("a..", "a."), ("2001:DB8:0:0::1", "2001:db8::1"), ("[::1]", "::1"), ("192.0.2.1.", "192.0.2.1"),
            ("", ""), (".", ""), ("FE80::1%En0", "fe80::1%en0"), ("B\u{dc}CHER", "b\u{dc}cher"),
        ])
    func normalized(host: String, normal: String) {
        #expect(HostGrammar.normalized(host) == normal)
    }
}

extension [UInt8] {
    fileprivate func withUnsafeBytesOfBytes<Answer>(_ body: (UnsafeRawBufferPointer) -> Answer) -> Answer {
        withUnsafeBytes(body)
    }
}
