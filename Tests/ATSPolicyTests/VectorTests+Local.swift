import ATSPolicy

/// Local names and addresses, with and without NSAllowsLocalNetworking.
extension VectorTests {
    static let localGroups = [
        // The columns of docs/law/addresses.md#by-release. For *direct* hosts see docs/law/addresses.md#direct.
        VectorGroup(
            "by release, direct", [:],
            """
            http://localhost          - + + + + +
            http://printer            - + + + + +
            http://name.localhost     - - - - - -
            http://tv.local           - + + + + +
            http://tv.local.          - + + + + +
            http://127.0.0.1          - + - + + +
            http://[::1]              - + - + + +
            http://[fe80::1]          - + - + + +
            http://169.254.7.7        - + - + + +
            http://10.0.0.5           - + - + + +
            http://172.16.0.1         - + - + + +
            http://172.32.0.1         - + - - - -
            http://192.168.1.5        - + - + + +
            http://[fd00::1]          - + - + + +
            http://100.64.1.2         - + - - - -
            http://0.0.0.0            - + - - - -
            http://203.0.113.9        - + - - - -
            http://[2001:db8::1]      - + - - - -
            http://[fe00::1]          - + - - - -
            http://example.com        - - - - - -
            http://10.0.0.5.sslip.io  - - - - - -
            http://nas.tail1.ts.net   - - - - - -
            """),
        // Hosts whose http is allowed have no ATS demands for https either, except for names on 10 to 13 (Alamofire
        // issues 2402 and 3091, Sparkle issue 997 (observed)).
        VectorGroup(
            "https to local hosts, demands", [:],
            """
            https://localhost    1.2 1.2 0 0 0 0
            https://tv.local     1.2 1.2 0 0 0 0
            https://10.0.0.5     1.2 0 1.2 0 0 0
            https://[::1]        1.2 0 1.2 0 0 0
            https://203.0.113.9  1.2 0 1.2 1.2 1.2 1.2
            https://example.com  1.2 1.2 1.2 1.2 1.2 1.2
            """),
        // YES allows neither public nor CGNAT addresses (C2, docs/law/addresses.md#local-networking-key). Before 17 no
        // address needs the key.
        VectorGroup(
            "local networking key with YES", ["NSAllowsLocalNetworking": true],
            """
            http://localhost     - + + + + +
            http://tv.local      - + + + + +
            http://127.0.0.1     - + + + + +
            http://10.0.0.5      - + + + + +
            http://[fe80::1]     - + + + + +
            http://100.64.1.2    - + - - - -
            http://203.0.113.9   - + - - - -
            http://example.com   - - - - - -
            https://10.0.0.5     1.2 0 0 0 0 0
            https://localhost    1.2 0 0 0 0 0
            https://203.0.113.9  1.2 0 1.2 1.2 1.2 1.2
            """),
        // As in Apple's tests from 18.4 on, inferred before. 10 to 16 do not apply ATS to addresses (documented;
        // docs/law/addresses.md#by-release).
        VectorGroup(
            "golden table with NO", ["NSAllowsLocalNetworking": false],
            """
            http://localhost    - - - - - -
            http://tv.local     - - - - - -
            http://127.0.0.1    - + - - - -
            http://[::1]        - + - - - -
            http://10.0.0.5     - + - - - -
            http://203.0.113.9  - + - - - -
            http://example.com  - - - - - -
            https://localhost   1.2 1.2 1.2 1.2 1.2 1.2
            """),
        // An entry overrides the rule for local hosts (docs/law/rulings.md#order-of-decisions step 1).
        VectorGroup(
            "order of decisions",
            ["NSExceptionDomains": ["tv.local": [:], "printer": ["NSExceptionAllowsInsecureHTTPLoads": true]]],
            """
            http://tv.local   - - - - - -
            https://tv.local  1.2 1.2 1.2 1.2 1.2 1.2
            http://printer    + + + + + +
            https://printer   1.2i 1.2i 1.2i 1.2i 1.2i 1.2i
            http://localhost  - + + + + +
            """),
    ]
}
