import Text

/// Examples of ``Rule/certificateTransparency``.
extension Rule {
    static var transparencyExamples: [RuleExample] { countedExamples + listedExamples }

    /// Examples by number, lifetime and age.
    private static var countedExamples: [RuleExample] {
        func example(
            _ title: String, _ expected: RuleOutcome, _ embedded: Int, handshake: Int = 0, stapled: Int = 0,
            days: Int64 = 90, _ change: @escaping (inout HandshakeCase) -> Void = { _ in }
        ) -> RuleExample {
            RuleExample(title, expected) {
                $0.transparency = .verified
                $0.facts.scts = SCTCounts(embedded: embedded, handshake: handshake, stapled: stapled)
                $0.now = $0.facts.path.first?.notBefore ?? 0
                $0.changeLeaf { $0.notAfter = $0.notBefore + days * Day.seconds }
                change(&$0)
            }
        }
        func old(_ title: String, _ expected: RuleOutcome, _ embedded: Int, days: Int64) -> RuleExample {
            example(title, expected, embedded) {
                $0.now = CertificateDate.april2021 - 1
                $0.changeLeaf {
                    $0.notBefore = CertificateDate.april2021 - 1
                    $0.notAfter = $0.notBefore + days * Day.seconds
                }
            }
        }
        return [
            example("one of two for 90 days", .fail, 1), example("two for 90 days", .pass, 2),
            example("two for 180 days", .pass, 2, days: 180), example("two for 181 days", .fail, 2, days: 181),
            example("three for 398 days", .pass, 3, days: 398), example("three for 826 days", .fail, 3, days: 826),
            example("one embedded, one stapled", .pass, 1, stapled: 1),
            example("two in the handshake", .pass, 0, handshake: 2),
            example("one in the handshake", .fail, 0, handshake: 1),
            old("two for 14 months of 2021", .pass, 2, days: 426), old("two for 16 months", .fail, 2, days: 490),
            old("three for 26 months", .pass, 3, days: 800), old("three for 28 months", .fail, 3, days: 860),
            old("four for 38 months", .pass, 4, days: 1_170), old("four for 40 months", .fail, 4, days: 1_230),
            example("none, and no log list", .warn, 0) { $0.transparency = .counted },
            example("none, under a root installed by the user", .notInForce, 0) { $0.facts.anchor = .user },
            example("none, on an expired leaf", .notInForce, 0) { $0.now = Int64.max },
            example("none, on a leaf from 2018", .notInForce, 0) {
                $0.changeLeaf { $0.notBefore = CertificateDate.october2018 - 1 }
            },
            example("none, on iOS 10", .notInForce, 0) { $0.profile = .iOS10 },
        ]
    }
    /// Examples with a log list.
    private static var listedExamples: [RuleExample] {
        func listed(
            _ title: String, _ expected: RuleOutcome, days: Int64 = 90, listDays: Int64 = 0, _ timestamps: [ExampleSCT]
        ) -> RuleExample {
            RuleExample(title, expected) {
                let now = $0.now
                let review = SCTReview(
                    counted: timestamps.map { $0.counted(at: now) }, listTime: now - listDays * Day.seconds)
                $0.changeLeaf {
                    $0.notBefore = now
                    $0.notAfter = now + days * Day.seconds
                }
                $0.facts.scts = review.counts
                $0.facts.sctReview = review
                $0.transparency = TransparencyCheck(by: review, at: now)
            }
        }
        return [
            listed("two approved", .pass, [.embedded(), .embedded("B")]),
            listed(
                "two of one operator, forbidden by policy but accepted by the code", .warn, [.embedded(), .embedded()]),
            listed(
                "three of 181 days, two of one operator", .pass, days: 181,
                [
                    .embedded(), .embedded(), .embedded("B"),
                ]),
            listed(
                "three of 181 days, all of one operator", .warn, days: 181,
                [
                    .embedded(), .embedded(), .embedded(),
                ]),
            listed("one approved, one of a log that retires in a second", .pass, [.embedded(), .embedded("B", 1)]),
            listed("one of a log that retires now, one approved", .pass, [.embedded("A", 0), .embedded("B")]),
            listed("both of logs that retire now", .fail, [.embedded("A", 0), .embedded("B", 0)]),
            listed("both of logs that retire in a second", .pass, [.embedded("A", 1), .embedded("B", 1)]),
            listed("one retired, one stapled", .fail, [.embedded("A", 0), .stapled("B")]),
            listed("one approved, one stapled", .pass, [.embedded(), .stapled("B")]),
            listed("two stapled of one operator", .pass, [.stapled("B"), .stapled("B")]),
            listed("two embedded of tiled logs", .fail, [.embedded(isTiled: true), .embedded("B", isTiled: true)]),
            listed("one of a tiled log, one of an RFC 6962 log", .pass, [.embedded(isTiled: true), .embedded("B")]),
            listed("one from this second", .pass, [.embedded(), .embedded("B", time: 0)]),
            listed("one from the next second", .fail, [.embedded(), .embedded("B", time: 1)]),
            listed("none, and a list of 59 days", .fail, listDays: 59, []),
            listed("none, and a list of 60 days", .warn, listDays: 60, []),
        ]
    }
}

/// A timestamp whose times are offsets from the time of the handshake, in seconds.
private struct ExampleSCT {
    var source = SCTSource.embedded
    var operatorName = "A"
    var retirement: Int64?
    var time: Int64 = -1
    var isTiled = false

    static func embedded(
        _ operatorName: String = "A", _ retirement: Int64? = nil, time: Int64 = -1, isTiled: Bool = false
    ) -> ExampleSCT {
        ExampleSCT(operatorName: operatorName, retirement: retirement, time: time, isTiled: isTiled)
    }

    static func stapled(_ operatorName: String) -> ExampleSCT {
        ExampleSCT(source: .stapled, operatorName: operatorName)
    }

    func counted(at now: Int64) -> CountedSCT {
        CountedSCT(
            source: source, time: now + time, operatorName: operatorName, retirement: retirement.map { now + $0 },
            isTiled: isTiled)
    }
}
