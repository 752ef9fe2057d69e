import ATSPolicy
import Testing

/// Apple's own unit tests for 18.4 and later, row by row. Source: Security, SecProtocolConfigurationTest.m;
/// docs/law/rulings.md#golden-tables.
struct GoldenTruthTableTests {
    /// One row: under `dictionary`, whether `host` requires TLS, and the lowest version.
    struct Row: Sendable, CustomTestStringConvertible {
        let title: String
        let dictionary: PropertyValue
        let host: String
        var isDirect = false
        let isRequired: Bool
        /// nil if ATS has no demands for https.
        let minimum: TLSVersion?
        var mark = Confidence.source

        var testDescription: String { "\(title): \(host)" }
    }

    @Test("Apple's truth table holds on 18.4, and on 26 above its floor", arguments: rows)
    func row(_ row: Row) throws {
        for profile in OSProfile.modern {
            let verdicts = try Verdicts(row.dictionary, host: row.host, profile: profile)
            #expect(verdicts.isCleartextAllowed == !row.isRequired)
            #expect(verdicts.demands?.minimumTLS == row.minimum.map { max($0, profile.tlsFloor) })
            #expect(verdicts.secure.basis.isLocal == row.isDirect)
            #expect(verdicts.secure.basis.confidence == row.mark)
        }
    }

    static let localHosts = ["localhost", "myhost.local", "127.0.0.1", "::1", "fe80::1"]
    static let remoteHosts = ["203.0.113.1", "fe00::1", "2001:db8::8a2e:370:7334"]

    static let rows: [Row] =
        emptyRows + globalRows + typingRows + raisingRows + builtInRows + nestedRows + versionRows

    static let emptyRows: [Row] =
        [Row(title: "empty", dictionary: [:], host: "example.com", isRequired: true, minimum: .tls12)]
        + localHosts.map {
            Row(title: "empty", dictionary: [:], host: $0, isDirect: true, isRequired: false, minimum: nil)
        }
        + remoteHosts.map { Row(title: "empty", dictionary: [:], host: $0, isRequired: true, minimum: .tls12) }

    static let globalRows: [Row] =
        everyHost.flatMap { host, isDirect in
            [
                Row(
                    title: "LocalNetworking=NO", dictionary: ["NSAllowsLocalNetworking": false], host: host,
                    isDirect: isDirect, isRequired: true, minimum: .tls12),
                Row(
                    title: "ArbitraryLoads=YES", dictionary: ["NSAllowsArbitraryLoads": true], host: host,
                    isDirect: isDirect, isRequired: false, minimum: nil),
            ]
        } + siblingRows

    static let everyHost =
        [("example.com", false)] + localHosts.map { ($0, true) } + remoteHosts.map { ($0, false) }

    static let siblingRows: [Row] =
        ["example.com", "203.0.113.1"].map {
            Row(
                title: "ArbitraryLoads=YES + LocalNetworking=YES",
                dictionary: ["NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": true], host: $0,
                isRequired: true, minimum: .tls12)
        }
        + ["localhost", "127.0.0.1", "::1", "fe80::1"].map {
            Row(
                title: "ArbitraryLoads=YES + LocalNetworking=YES",
                dictionary: ["NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": true], host: $0,
                isDirect: true, isRequired: false, minimum: nil)
        }
        + ["NSAllowsArbitraryLoadsInWebContent", "NSAllowsArbitraryLoadsForMedia"].flatMap { key in
            [PropertyValue.boolean(true), .boolean(false)].map { value in
                Row(
                    title: "ArbitraryLoads=YES + \(key), asked by an app",
                    dictionary: .dictionary([
                        PropertyMember(key: "NSAllowsArbitraryLoads", node: PropertyNode(true)),
                        PropertyMember(key: key, node: PropertyNode(value)),
                    ]), host: "example.com", isRequired: true, minimum: .tls12)
            }
        }

    static let typingRows: [Row] =
        [2, "YES", false].map { (value: PropertyValue) in
            Row(
                title: "ArbitraryLoads=\(value.summary)", dictionary: ["NSAllowsArbitraryLoads": value],
                host: "example.com", isRequired: true, minimum: .tls12)
        }
        + ["example.com", "neverssl.com", "invalid.exception.com"].map {
            Row(
                title: "wrong types everywhere",
                dictionary: [
                    "NSAllowsArbitraryLoads": "YES",
                    "NSExceptionDomains": [
                        "neverssl.com": [
                            "NSExceptionAllowsInsecureHTTPLoads": "YES", "NSExceptionMinimumTLSVersion": 13,
                            "NSExceptionRequiresForwardSecrecy": "NO",
                        ],
                        "invalid.exception.com": "",
                    ],
                ], host: $0, isRequired: true, minimum: .tls12)
        }

    private static let raising: PropertyValue = [
        "NSAllowsArbitraryLoads": true,
        "NSExceptionDomains": [
            "neverssl.com": [
                "NSExceptionAllowsInsecureHTTPLoads": false, "NSExceptionMinimumTLSVersion": "TLSv1.3",
                "NSExceptionRequiresForwardSecrecy": true,
            ],
            "google.com": [
                "NSExceptionAllowsInsecureHTTPLoads": true, "NSExceptionMinimumTLSVersion": "TLSv1.3",
                "NSExceptionRequiresForwardSecrecy": true,
            ],
            "youtube.com": ["NSExceptionRequiresForwardSecrecy": true],
            "myhost.local": ["NSExceptionAllowsInsecureHTTPLoads": false],
        ],
    ]

    static let raisingRows: [Row] = [
        Row(title: "an entry raises", dictionary: raising, host: "neverssl.com", isRequired: true, minimum: .tls13),
        Row(title: "an entry raises", dictionary: raising, host: "google.com", isRequired: false, minimum: .tls13),
        Row(title: "an entry raises", dictionary: raising, host: "youtube.com", isRequired: true, minimum: .tls12),
        Row(
            title: "an entry raises", dictionary: raising, host: "myhost.local", isDirect: true, isRequired: true,
            minimum: .tls12),
    ]

    @Test("a version raised by an entry still comes with the ATS suites", arguments: OSProfile.modern)
    func raisedEntryKeepsSuites(profile: OSProfile) throws {
        let verdicts = try Verdicts(Self.raising, host: "google.com", profile: profile)
        #expect(verdicts.demands?.suites == profile.atsSuites)
        #expect(verdicts.offer?.suites == profile.atsSuites)
    }
}

extension GoldenTruthTableTests {
    static let builtInRows: [Row] =
        ["apple.com", "csd4.apple.com", "setup.icloud.com"].map {
            Row(
                title: "built in", dictionary: ["NSAllowsArbitraryLoads": false], host: $0, isRequired: false,
                minimum: .tls12)
        }
        + ["ls.apple.com", "gs.apple.com", "geo.apple.com", "is.autonavi.com", "apple-mapkit.com"].map {
            Row(
                title: "built in", dictionary: ["NSAllowsArbitraryLoads": false], host: $0, isRequired: false,
                minimum: .tls10)
        }
        + [
            ("apple.com", true, TLSVersion.tls13), ("csd4.apple.com", true, .tls12), ("ls.apple.com", false, .tls10),
        ].map { host, isRequired, minimum in
            Row(
                title: "apple.com replaced",
                dictionary: [
                    "NSExceptionDomains": [
                        "apple.com": [
                            "NSExceptionAllowsInsecureHTTPLoads": false, "NSExceptionMinimumTLSVersion": "TLSv1.3",
                            "NSIncludesSubdomains": false,
                        ]
                    ]
                ], host: host, isRequired: isRequired, minimum: minimum)
        }
        + [("setup.icloud.com", TLSVersion.tls13), ("test.setup.icloud.com", .tls12)].map { host, minimum in
            Row(
                title: "setup.icloud.com replaced",
                dictionary: [
                    "NSExceptionDomains": [
                        "setup.icloud.com": [
                            "NSExceptionAllowsInsecureHTTPLoads": false, "NSExceptionMinimumTLSVersion": "TLSv1.3",
                        ]
                    ]
                ], host: host, isRequired: true, minimum: minimum)
        }

    static let nestedRows: [Row] = [
        ("example.com", false, TLSVersion.tls12),
        ("subhostname.example.com", true, .tls13),
        ("another.subhostname.example.com", true, .tls11),
        ("test.another.subhostname.example.com", false, .tls12),
    ].map { host, isRequired, minimum in
        Row(
            title: "nested entries",
            dictionary: [
                "NSExceptionDomains": [
                    "example.com": ["NSExceptionAllowsInsecureHTTPLoads": true, "NSIncludesSubdomains": true],
                    "subhostname.example.com": [
                        "NSExceptionAllowsInsecureHTTPLoads": false, "NSIncludesSubdomains": false,
                        "NSExceptionMinimumTLSVersion": "TLSv1.3",
                    ],
                    "another.subhostname.example.com": [
                        "NSExceptionAllowsInsecureHTTPLoads": false, "NSExceptionMinimumTLSVersion": "TLSv1.1",
                    ],
                ]
            ], host: host, isRequired: isRequired, minimum: minimum)
    }

    static let versionRows: [Row] = ["TLSv1.4", "TLSV1.3", "TLSv1.00"].map { text in
        Row(
            title: "Min=\(text)",
            dictionary: ["NSExceptionDomains": ["example.com": ["NSExceptionMinimumTLSVersion": .string(text)]]],
            host: "example.com", isRequired: true, minimum: .tls12)
    }
}
