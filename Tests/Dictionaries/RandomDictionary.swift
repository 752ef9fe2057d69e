public import ATSPolicy
import Seeded

/// Random ATS dictionaries: every key, with hosts and values that interact.
public struct RandomDictionary {
    private var generator: SeededGenerator
    private let hosts: [String]

    /// - Parameter hosts: keys of entries.
    public init(seed: UInt64, hosts: [String] = Self.hosts) {
        generator = SeededGenerator(seed: seed)
        self.hosts = hosts
    }

    /// The next dictionary.
    public mutating func next() -> Declaration {
        var members: [PropertyMember] = []
        for key in ATSKey.globalBooleans where chance(3) { members.append(PropertyMember(key: key, node: boolean())) }
        if chance(10) { members.append(text(ATSKey.niapVersion, ["none", "FCP_v2.1"])) }
        var entries: [PropertyMember] = []
        for _ in 0..<Int.random(in: 0...4, using: &generator) { entries.append(entry(pick(hosts))) }
        if !entries.isEmpty {
            members.append(PropertyMember(key: ATSKey.exceptionDomains, node: PropertyNode(.dictionary(entries))))
        }
        return Declaration.secureDefaults.with(members)
    }

    private mutating func entry(_ host: String) -> PropertyMember {
        guard !chance(20) else { return PropertyMember(key: host, node: PropertyNode(.boolean(true))) }
        var members: [PropertyMember] = []
        for key in ATSKey.exceptionBooleans where chance(2) {
            members.append(PropertyMember(key: key, node: boolean()))
        }
        if chance(3) { members.append(text(ATSKey.minimumTLS, ["TLSv1.0", "TLSv1.1", "TLSv1.2", "TLSv1.3", "1.0"])) }
        if chance(8) {
            members.append(PropertyMember(key: "NSTemporaryExceptionAllowsInsecureHTTPLoads", node: boolean()))
        }
        if chance(10) { members.append(text(ATSKey.exceptionNIAPVersion, ["none", "FCP_v2.1"])) }
        return PropertyMember(key: host, node: PropertyNode(.dictionary(members)))
    }

    /// Mostly a Boolean, sometimes a value that some releases read differently.
    private mutating func boolean() -> PropertyNode {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: PropertyNode(.integer(1))
        case 1: PropertyNode(.integer(2))
        case 2: PropertyNode(.string("YES"))
        default: PropertyNode(.boolean(chance(2)))
        }
    }

    private mutating func text(_ key: String, _ values: [String]) -> PropertyMember {
        PropertyMember(key: key, node: PropertyNode(.string(pick(values))))
    }

    private mutating func pick(_ values: [String]) -> String { values.randomElement(using: &generator) ?? "" }

    /// True in one of `count` cases.
    public mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }

    /// Names and addresses, local and remote, inside each other.
    public static let hosts = [
        "example.com", "a.example.com", "b.a.example.com", "com", "apple.com", "x.apple.com", "localhost",
        "printer.local", "local", "corp", "192.168.1.1", "192.168.0.0/16", "10.0.0.0/7", "127.0.0.1", "::1", "fe80::1",
        "203.0.113.7", "203.0.113.0/24", "100.64.0.0/10", "2001:db8::/32", "d3adb33f.ngrok.io", "ngrok.io",
        "API.example.com", "example.com.", "*.example.com",
    ]
}
