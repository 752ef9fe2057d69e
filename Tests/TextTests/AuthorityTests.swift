import Seeded
import Testing
import Text

@Suite("host with port")
struct AuthorityTests {
    @Test(
        "a host with an optional port is read, and written back unchanged",
        arguments: [
            ("a", "a", nil), ("example.com:443", "example.com", 443), ("[::1]", "::1", nil), ("[::1]:1", "::1", 1),
            ("192.0.2.1:65535", "192.0.2.1", 65_535), ("A_b-c.test.:80", "A_b-c.test.", 80),
            ("[2001:DB8::1]:443", "2001:DB8::1", 443),
        ] as [(String, String, Int?)])
    func read(text: String, host: String, port: Int?) throws {
        let authority = try Authority(text[...])
        #expect(authority == Authority(host: host, port: port))
        #expect("\(authority)" == text)
    }

    @Test(
        "an address that listens on all interfaces is reached on the loopback address",
        arguments: [
            ("0.0.0.0", "127.0.0.1:1"), ("::", "[::1]:1"), ("192.0.2.1", "192.0.2.1:1"), ("localhost", "localhost:1"),
        ])
    func reachable(host: String, wanted: String) {
        #expect(Authority(host: host, port: 1).reachable.description == wanted)
    }

    @Test("a colon without digits is not a port")
    func emptyPort() throws {
        #expect(try Authority("a:") == Authority(host: "a", port: nil))
        #expect(try Authority("[::1]:") == Authority(host: "::1", port: nil))
        #expect(try Authority("a:00080").port == 80)
    }

    @Test(
        "invalid text is rejected at the offset of the fault",
        arguments: [
            ("", .hostMissing, 0), (":80", .hostMissing, 0), ("a..b:80", .emptyLabel, 2), ("a:0", .badPort, 1),
            ("a:65536", .badPort, 1), ("a:000080", .badPort, 1), ("a:80x", .badPort, 1), ("a:x", .badPort, 1),
            ("a:-1", .badPort, 1), ("a:+1", .badPort, 1), ("a:80:80", .badPort, 1), ("[::1]x", .badPort, 5),
            ("[::1]:80x", .badPort, 5), ("[::1", .bracketMissing, 0), ("[", .bracketMissing, 0), ("[]", .notIPv6, 1),
            ("[192.0.2.1]", .notIPv6, 1), ("[a]", .notIPv6, 1), ("[::1%25en0]", .badZone, 4), ("::1", .hostMissing, 0),
            ("u@a", .badCharacter, 1), ("a/", .badCharacter, 1), ("/", .badCharacter, 0), ("a b", .badCharacter, 1),
            ("\u{fc}", .foreignLetter, 0), ("a\u{fc}", .foreignLetter, 1), ("*", .badCharacter, 0),
            ("a\0", .badCharacter, 1),
        ] as [(String, AuthorityFault.Kind, Int)])
    func refused(text: String, kind: AuthorityFault.Kind, offset: Int) {
        #expect(throws: AuthorityFault(kind, at: offset)) { try Authority(text[...]) }
    }

    @Test("a zone is read only if the caller allows it, and only as %25 with a name")
    func zones() throws {
        #expect(try Authority("[fe80::1%25en0]:80", zone: .allowed) == Authority(host: "fe80::1%25en0", port: 80))
        for text in ["[fe80::1%en0]", "[fe80::1%25]", "[fe80::1%25a/b]", "[fe80::1%]"] {
            #expect(throws: AuthorityFault(.badZone, at: 8)) { try Authority(text[...], zone: .allowed) }
        }
    }

    @Test(
        "an authority followed by other text ends where that text begins",
        arguments: [
            ("a.test/x", 6, nil), ("a:80?q", 4, 80), ("[::1]:8/", 7, 8), ("a: b", 2, nil), ("a", 1, nil),
            ("a@b", 1, nil),
        ] as [(String, Int, Int?)])
    func start(text: String, end: Int, port: Int?) throws {
        let scan = try Array(text.utf8).withUnsafeBytes { try AuthorityScan(startOf: $0) }
        #expect(scan.end == end)
        #expect(scan.port == port)
    }

    @Test("no more than the longest name is read of a host, however many labels it has")
    func longHost() {
        // The empty label at the end is not reached.
        let host = String(repeating: "a.", count: 20_000) + "."
        let fault = #expect(throws: AuthorityFault.self) {
            try Array(host.utf8).withUnsafeBytes { bytes throws(AuthorityFault) in try AuthorityScan(startOf: bytes) }
        }
        #expect(fault?.kind == .hostTooLong)
    }

    @Test("random bytes give an authority that reads back unchanged, or a fault inside the text")
    func randomBytes() {
        var random = SeededGenerator(seed: 23)
        let letters = Array("ab1.:[]%25_-/@*\u{e9}\0".utf8)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                letters[Int.random(in: 0..<letters.count, using: &random)]
            }
            do throws(AuthorityFault) {
                let text = String(decoding: bytes, as: UTF8.self)
                let authority = try Authority(text[...])
                #expect(HostGrammar.isValidHost(authority.host))
                #expect((try? Authority("\(authority)"[...])) == authority)
            } catch {
                #expect(error.offset <= bytes.count * 3)
            }
            let scan = bytes.withUnsafeBytes { try? AuthorityScan(startOf: $0) }
            if let scan { #expect(scan.end <= bytes.count && scan.host.upperBound <= scan.end) }
        }
    }

    @Test("every fault has its own sentence")
    func sentences() {
        let sentences = AuthorityFault.Kind.allCases.map { AuthorityFault($0, at: 0).description }
        #expect(Set(sentences).count == AuthorityFault.Kind.allCases.count)
    }
}

@Suite("parts separated by colons")
struct HostPortScannerTests {
    @Test("four parts are read one by one, including empty ones")
    func parts() throws {
        var scanner = HostPortScanner("[::1]:443::")
        var seen: [String] = []
        seen.append(try scanner.host())
        while scanner.colon() {
            seen.append(try scanner.port().map(String.init) ?? "no port")
            if scanner.colon() { seen.append(try scanner.host()) }
        }
        #expect(seen == ["::1", "443", "", "no port"])
        #expect(scanner.isAtEnd)
    }

    @Test("brackets must contain an IPv6 address", arguments: ["[", "[::1", "[a]", "[192.0.2.1]"])
    func brackets(text: String) {
        var scanner = HostPortScanner(text[...])
        #expect(throws: AuthorityFault.self) { _ = try scanner.host() }
    }

    @Test("a port that is not a number from 1 to 65535 is rejected", arguments: ["x", "65536", "-1", "8O", "0"])
    func ports(text: String) {
        var scanner = HostPortScanner(text[...])
        let fault = #expect(throws: HostPortScanner.NotAPort.self) { _ = try scanner.port() }
        #expect(fault?.text == text)
    }

    @Test("port 0 is accepted if the caller lets the system choose")
    func freePort() throws {
        var scanner = HostPortScanner("0")
        let port = try scanner.port(from: 0)
        #expect(port == 0)
    }
}
