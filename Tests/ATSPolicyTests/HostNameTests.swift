import ATSPolicy
import Testing

@Suite struct HostNameTests {
    private static func matches(_ host: String, dns: [String] = [], ip: [String] = []) -> Bool {
        let handshake = RuleCases.good {
            $0.host = host
            $0.facts.path[0].dnsNames = dns
            $0.facts.path[0].ipAddresses = ip
        }
        return RuleBook.standard.findings(on: handshake).isEmpty
    }

    @Test(
        "these hosts match the certificate's name",
        arguments: [
            ("a.example.com", "a.example.com"), ("A.EXAMPLE.com", "a.example.COM"), ("a.example.com.", "a.example.com"),
            ("a.example.com", "*.example.com"), ("a.example.com", "*.EXAMPLE.com"), ("localhost", "localhost"),
            ("xn--bcher-kva.example.com", "*.example.com"),
        ])
    func match(host: String, pattern: String) {
        #expect(Self.matches(host, dns: ["other.example", pattern]))
    }

    @Test(
        "these hosts do not match the certificate's name",
        arguments: [
            ("a.b.example.com", "*.example.com"), ("example.com", "*.example.com"), ("example.com", "*.com"),
            ("a.example.com", "a*.example.com"), ("aa.example.com", "*a.example.com"), ("a.example.com", "*"),
            ("a.example.com", "*.*.com"), (".example.com", "*.example.com"), ("a.example.com", "a.example.com."),
            ("a.example.com..", "a.example.com"), ("a.example.com", ""), (".", "a.example.com"), ("", ""),
            ("10.0.0.1", "*.0.0.1"), ("10.0.0.1", "10.0.0.1"), ("2001:db8::1", "2001:db8::1"),
            ("a.example.com", "b.*.com"), ("a.com", "*.com."), ("a.example", "a.exampl"),
        ])
    func noMatch(host: String, pattern: String) {
        #expect(!Self.matches(host, dns: [pattern, "other.example"]))
    }

    @Test func addressesAreComparedByValue() {
        #expect(Self.matches("10.0.0.1", ip: ["10.0.0.1"]))
        #expect(Self.matches("2001:db8::1", ip: ["2001:DB8:0:0:0:0:0:1"]))
        #expect(!Self.matches("10.0.0.1", ip: ["10.0.0.2"]))
        #expect(!Self.matches("2001:db8::1", ip: ["2001:db8::2"]))
        #expect(!Self.matches("a.example.com", ip: ["10.0.0.1"]))
    }

    @Test func longListsOfNamesAreCutShort() throws {
        let handshake = RuleCases.good {
            $0.host = "other.example"
            $0.facts.path[0].dnsNames = (1...9).map { "host\($0).example\u{1B}[31m" }
        }
        let observed = try #require(RuleBook.standard.findings(on: handshake).first?.observed)
        #expect(observed.hasSuffix("host4.example?[31m and 5 more"))
        #expect(!observed.contains("\u{1B}"))
    }
}
