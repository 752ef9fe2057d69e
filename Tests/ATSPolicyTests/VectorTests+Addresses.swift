import ATSPolicy

/// Vectors for addresses as keys, Apple's own exceptions, and keys of single generations.
extension VectorTests {
    private static func entries(_ pairs: KeyValuePairs<String, Bool>) -> PropertyValue {
        let members = pairs.map { key, isFree in
            PropertyMember(key: key, node: PropertyNode(["NSExceptionAllowsInsecureHTTPLoads": .boolean(isFree)]))
        }
        return ["NSExceptionDomains": .dictionary(members)]
    }

    /// The table of docs/law/addresses.md#address-keys. Before 17 such keys have no effect, and from 10 to 16 addresses
    /// need none (documented; docs/law/addresses.md#by-release).
    static let addressGroups = [
        VectorGroup(
            "address keys, by release",
            entries([
                "198.51.100.0/24": true, "198.51.100.0/27": false, "198.51.100.1": true, "198.51.100.101": false,
            ]),
            """
            http://198.51.100.1    - + + + + +
            http://198.51.100.100  - + + + + +
            http://198.51.100.255  - + + + + +
            http://198.51.100.0    - + - - - -
            http://198.51.100.101  - + - - - -
            http://198.51.101.0    - + - - - -
            http://1.1.1.1         - + - - - -
            https://198.51.100.1   1.2 0 1.2i 1.2i 1.2i 1.2i
            https://198.51.100.0   1.2 0 1.2 1.2 1.2 1.2
            """),
        VectorGroup(
            "address keys", entries(["2001:db8::/32": true, "2001:db8::/64": false]),
            """
            http://[2001:db8:85a3::8a2e:370:7334]  - + + + + +
            http://[2001:db8::8a2e:370:7334]       - + - - - -
            http://[2001:db80:0:0:0:0:0:0]         - + - - - -
            """),
        VectorGroup(
            "address keys", entries(["0.0.0.0/0": true, "0.0.0.0/1": false, "::/0": true, "::/1": false]),
            """
            http://128.0.0.0      - + + + + +
            http://198.51.100.1   - + + + + +
            http://[fe00::]       - + + + + +
            http://127.0.0.1      - + - - - -
            http://[::1]          - + - - - -
            http://1.1.1.1        - + - - - -
            http://[2001:db8::1]  - + - - - -
            http://localhost      - + + + + +
            http://myhost.local   - + + + + +
            """),
        VectorGroup(
            "address keys",
            entries(["10/8": true, "192.168.100.10/32": true, "203.0.113.0/010": true, "2001:db8::1": true]),
            """
            http://10.1.2.3          - + + + + +
            http://203.9.9.9         - + + + + +
            http://204.0.0.1         - + - - - -
            http://[2001:db8::1]     - + + + + +
            http://[2001:db8:0::1]   - + - - - -
            http://192.168.100.10    - + - + + +
            """),
        // From 18.4 on: docs/law/keys.md#built-in-exceptions.
        VectorGroup(
            "built-in exceptions, golden table", ["NSAllowsArbitraryLoads": false],
            """
            http://apple.com           - - - + + +
            http://csd4.apple.com      - - - + + +
            http://setup.icloud.com    - - - + + +
            http://ls.apple.com        - - - + + +
            http://is.autonavi.com     - - - + + +
            http://apple-mapkit.com    - - - + + +
            http://icloud.com          - - - - - -
            https://apple.com          1.2 1.2 1.2 1.2if 1.2if 1.2if
            https://gs.apple.com       1.2 1.2 1.2 1.0if 1.2if 1.2if
            https://geo.apple.com      1.2 1.2 1.2 1.0if 1.2if 1.2if
            """),
        VectorGroup(
            "golden table",
            [
                "NSExceptionDomains": [
                    "apple.com": [
                        "NSExceptionAllowsInsecureHTTPLoads": false, "NSExceptionMinimumTLSVersion": "TLSv1.3",
                        "NSIncludesSubdomains": false,
                    ]
                ]
            ],
            """
            http://apple.com        - - - - - -
            https://apple.com       1.3 1.3 1.3 1.3 1.3 1.3
            http://csd4.apple.com   - - - - - -
            https://csd4.apple.com  1.2 1.2 1.2 1.2 1.2 1.2
            http://ls.apple.com     - - - + + +
            https://ls.apple.com    1.2 1.2 1.2 1.0if 1.2if 1.2if
            """),
    ]

    static let rareGroups = [
        // From 26.4 on. The entry overrides the global key.
        VectorGroup(
            "NIAP",
            [
                "NSRequiresNIAPTLSPackageVersion": "FCP_v2.1",
                "NSExceptionDomains": [
                    "out.com": ["NSExceptionRequiresNIAPTLSPackageVersion": "none"], "in.com": [:],
                ],
            ],
            """
            https://example.com  1.2 1.2 1.2 1.2 1.2 1.2n
            https://in.com       1.2 1.2 1.2 1.2 1.2 1.2n
            https://out.com      1.2 1.2 1.2 1.2 1.2 1.2
            https://localhost    1.2 1.2 0 0 0 0
            http://example.com   - - - - - -
            """),
        VectorGroup(
            "NIAP",
            ["NSExceptionDomains": ["in.com": ["NSExceptionRequiresNIAPTLSPackageVersion": "recommended"]]],
            """
            https://in.com       1.2 1.2 1.2 1.2 1.2 1.2n
            https://example.com  1.2 1.2 1.2 1.2 1.2 1.2
            """),
        VectorGroup(
            "NIAP", ["NSRequiresNIAPTLSPackageVersion": "FCP_v9"], "https://example.com  1.2 1.2 1.2 1.2 1.2 1.2"),
        // docs/law/keys.md#entry-keys: an opt-in from iOS 10 on, ignored by the source of 18.4.
        VectorGroup(
            "entry keys", ["NSExceptionDomains": ["a.com": ["NSRequiresCertificateTransparency": true]]],
            """
            https://a.com  1.2 1.2c 1.2c 1.2 1.2 1.2
            http://a.com   - - - - - -
            """),
    ]
}
