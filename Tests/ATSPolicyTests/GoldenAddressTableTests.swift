import ATSPolicy
import Testing
import Text

/// Apple's own unit tests for CIDR keys, row by row, and the quirks of the key's text. All rulings are certain
/// (source). Source: Security, SecProtocolConfiguration.m; docs/law/addresses.md#address-keys.
struct GoldenAddressTableTests {
    private static func entries(_ pairs: KeyValuePairs<String, Bool>) -> PropertyValue {
        let members = pairs.map { key, isFree in
            PropertyMember(key: key, node: PropertyNode(["NSExceptionAllowsInsecureHTTPLoads": .boolean(isFree)]))
        }
        return ["NSExceptionDomains": .dictionary(members)]
    }

    private static let documentation = entries([
        "198.51.100.0/24": true, "198.51.100.0/27": false, "198.51.100.1": true, "198.51.100.101": false,
    ])
    private static let six = entries(["2001:db8::/32": true, "2001:db8::/64": false])
    private static let catchAll = entries(["0.0.0.0/0": true, "0.0.0.0/1": false, "::/0": true, "::/1": false])

    struct Row: Sendable {
        let dictionary: PropertyValue
        let hosts: [String]
        let isRequired: Bool
    }

    static let rows = [
        Row(dictionary: documentation, hosts: ["198.51.100.1", "198.51.100.100", "198.51.100.255"], isRequired: false),
        Row(
            dictionary: documentation, hosts: ["198.51.100.0", "198.51.100.101", "198.51.101.0", "1.1.1.1"],
            isRequired: true),
        Row(dictionary: six, hosts: ["2001:db8:85a3::8a2e:370:7334"], isRequired: false),
        Row(
            dictionary: six, hosts: ["2001:db8::8a2e:370:7334", "2001:db80:0:0:0:0:0:0"], isRequired: true),
        Row(dictionary: catchAll, hosts: ["128.0.0.0", "198.51.100.1", "fe00::"], isRequired: false),
        Row(
            dictionary: catchAll, hosts: ["127.0.0.1", "::1", "1.1.1.1", "2001:db8::8a2e:370:7334"],
            isRequired: true),
        Row(dictionary: catchAll, hosts: ["localhost", "myhost.local"], isRequired: false),
    ]

    @Test("Apple's CIDR table holds on every profile", arguments: rows)
    func row(_ row: Row) throws {
        for profile in OSProfile.modern {
            for host in row.hosts {
                let verdicts = try Verdicts(row.dictionary, host: host, profile: profile)
                #expect(verdicts.isCleartextAllowed == !row.isRequired, "\(host)")
                #expect(verdicts.secure.basis.confidence == .source)
            }
        }
    }

    @Test("an address with http allowed keeps TLS 1.2 and the ATS suites on https", arguments: OSProfile.modern)
    func freedAddressKeepsDemands(profile: OSProfile) throws {
        for host in ["198.51.100.1", "198.51.100.100", "198.51.100.255"] {
            let verdicts = try Verdicts(Self.documentation, host: host, profile: profile)
            #expect(verdicts.demands?.minimumTLS == .tls12)
            #expect(verdicts.demands?.suites == profile.atsSuites)
        }
    }

    @Test(
        "a CIDR key is parsed as Apple's parser does",
        arguments: [
            ("10/8", "10.1.2.3", true),
            ("192.168/16", "192.168.7.7", true),
            ("10.1.2.3/8", "10.200.0.1", true),
            ("203.0.113.0/010", "203.9.9.9", true),
            ("203.0.113.0/010", "204.0.0.1", false),
            ("203.0.113.0/08", "203.0.113.1", false),
            ("203.0.113.0/33", "203.0.113.0", false),
            ("203.0.113.0/-1", "203.0.113.0", false),
            ("203.0.113.0/", "203.0.113.0", false),
            ("203.0.113.0/x", "203.0.113.0", false),
            ("203.0.113.0/24/1", "203.0.113.0", false),
            ("203.0.113.100/24", "203.0.113.1", true),
            ("192.168.100.0/24", "192.168.100.10", true),
            ("192.168.100.10/32", "192.168.100.10", false),
            ("255.255.255.255/32", "255.255.255.255", false),
            ("203.0.113.10/32", "203.0.113.10", true),
            ("203.0.113.300/32", "203.0.113.30", false),
            ("2001:db8/32", "2001:db8::9", true),
            ("2001:db8::/129", "2001:db8::9", false),
            ("2001:0db8:0000:0000:0000:0000:0000:0000/32", "2001:db8::9", false),
            ("2001:db8:0:0:0:0:0:0/32", "2001:db8::9", true),
            ("::/0", "2001:db8::1", true),
            ("::/0", "203.0.113.1", false),
            ("0.0.0.0/0", "2001:db8::1", false),
            ("fe00::/16", "fe00::1%en0", false),
            ("::/0", "0000:0000:0000:0000:0000:ffff:203.0.113.200", false),
        ])
    func keyText(key: String, host: String, matches: Bool) throws {
        let verdicts = try Verdicts(Self.entries([key: true]), host: host, switches: JudgeSwitches(localNetworks: []))
        #expect(verdicts.isCleartextAllowed == matches)
        #expect(verdicts.cleartext.basis.entry == (matches ? key : nil))
    }

    @Test("keys without a slash match addresses only by exact text")
    func exactText() throws {
        let dictionary = Self.entries(["2001:db8::1": true])
        #expect(try Verdicts(dictionary, host: "2001:db8::1").isCleartextAllowed)
        #expect(try !Verdicts(dictionary, host: "2001:db8:0::1").isCleartextAllowed)
    }

    @Test("entries for names never match addresses, and entries for addresses never match names")
    func separateWorlds() throws {
        let parent: PropertyValue = [
            "NSExceptionDomains": [
                "0.113.1": ["NSExceptionAllowsInsecureHTTPLoads": true, "NSIncludesSubdomains": true]
            ]
        ]
        #expect(try !Verdicts(parent, host: "203.0.113.1").isCleartextAllowed)
        #expect(try !Verdicts(Self.entries(["0.0.0.0/0": true]), host: "example.com").isCleartextAllowed)
    }
}
