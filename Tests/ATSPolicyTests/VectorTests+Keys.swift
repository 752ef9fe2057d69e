import ATSPolicy

/// Vectors for the global keys: the loaders they apply to, and their precedence.
extension VectorTests {
    static let keyGroups = [
        VectorGroup(
            "global keys, golden table, iOS 9", ["NSAllowsArbitraryLoads": true],
            """
            http://example.com    + + + + + +
            http://localhost      + + + + + +
            http://10.0.0.5       + + + + + +
            http://203.0.113.9    + + + + + +
            http://[2001:db8::1]  + + + + + +
            https://example.com   0 0 0 0 0 0
            https://203.0.113.9   0 0 0 0 0 0
            """),
        // docs/law/rulings.md#siblings: the presence of a sibling turns it off; iOS 9 does not know the siblings
        // (documented).
        VectorGroup(
            "siblings, local YES", ["NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": true],
            """
            http://example.com   + - - - - -
            https://example.com  0 1.2 1.2 1.2 1.2 1.2
            http://localhost     + + + + + +
            http://127.0.0.1     + + + + + +
            http://203.0.113.9   + + - - - -
            """),
        VectorGroup(
            "siblings, local NO", ["NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": false],
            """
            http://example.com  + - - - - -
            http://localhost    + - - - - -
            http://10.0.0.5     + + - - - -
            """),
        VectorGroup(
            "siblings, web NO", ["NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoadsInWebContent": false],
            """
            http://example.com  + - - - - -
            http://localhost    + + + + + +
            """),
        VectorGroup(
            "siblings, media NO", ["NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoadsForMedia": false],
            """
            http://example.com   + - - - - -
            https://example.com  0 1.2 1.2 1.2 1.2 1.2
            """),
        // Values that are not Booleans: only 18.4 counts them as present and false.
        VectorGroup(
            "types of values, siblings", ["NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": "YES"],
            "http://example.com  + + + - + +"),
        VectorGroup(
            "types of values, siblings", ["NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoadsInWebContent": 2],
            "http://example.com  + - - - - -"),
        VectorGroup("types of values", ["NSAllowsArbitraryLoads": 1], "http://example.com  + + + - + +"),
        VectorGroup("types of values", ["NSAllowsArbitraryLoads": 2], "http://example.com  - - - - - -"),
        VectorGroup("types of values", ["NSAllowsArbitraryLoads": "YES"], "http://example.com  - - - - - -"),
        VectorGroup("global keys", ["NSAllowsArbitraryLoads": false], "http://example.com  - - - - - -"),
        VectorGroup("global keys", ["NSAllowArbitraryLoads": true], "http://example.com  - - - - - -"),
        VectorGroup(
            "global keys", ["NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoadsInMedia": true],
            "http://example.com  + + + + + +"),
    ]

    private static let media: PropertyValue = ["NSAllowsArbitraryLoadsForMedia": true]
    private static let web: PropertyValue = ["NSAllowsArbitraryLoadsInWebContent": true]
    private static let allAndWeb: PropertyValue = [
        "NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoadsInWebContent": true,
    ]
    private static let allAndMedia: PropertyValue = [
        "NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoadsForMedia": true,
    ]

    /// Steps 3 to 6 of 2.1. iOS 9 has no grants, and web content followed the app's rules (documented;
    /// docs/law/rulings.md#ios-9).
    static let loaderGroups = [
        VectorGroup(
            "order of decisions step 3", media, by: .media,
            """
            http://example.com   - + + + + +
            https://example.com  1.2 0 0 0 0 0
            http://203.0.113.9   - + + + + +
            """),
        VectorGroup("order of decisions step 3", media, by: .app, "http://example.com  - - - - - -"),
        VectorGroup("order of decisions step 3", media, by: .web, "http://example.com  - - - - - -"),
        VectorGroup(
            "order of decisions step 4", web, by: .web,
            """
            http://example.com   - + + + + +
            https://example.com  1.2 0 0 0 0 0
            """),
        VectorGroup("order of decisions step 4", web, by: .app, "http://example.com  - - - - - -"),
        VectorGroup("order of decisions step 4", web, by: .media, "http://example.com  - - - - - -"),
        VectorGroup("order of decisions step 5", allAndWeb, by: .app, "http://example.com  + - - - - -"),
        VectorGroup("order of decisions step 4", allAndWeb, by: .web, "http://example.com  + + + + + +"),
        VectorGroup("order of decisions step 5", allAndMedia, by: .app, "http://example.com  + - - - - -"),
        VectorGroup("order of decisions step 5", allAndMedia, by: .web, "http://example.com  + - - - - -"),
        VectorGroup("order of decisions step 3", allAndMedia, by: .media, "http://example.com  + + + + + +"),
        VectorGroup(
            "global keys", ["NSAllowsArbitraryLoadsInMedia": true], by: .media, "http://example.com  - - - - - -"),
    ]
}
