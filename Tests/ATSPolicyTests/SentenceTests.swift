import ATSPolicy
import Foundation
import Testing

/// All texts of the rules: the findings and remedies of every example on every release, of every failed handshake and
/// of every failed connection.
@Suite("texts of rules are readable")
struct SentenceTests {
    /// A verdict with the name of its case.
    private struct Case {
        let name: String
        let verdict: HandshakeVerdict
    }

    private static let profiles = ["ios9", "ios11", "ios17", "ios26", "ios26.4", "ios27"]
        .compactMap { OSProfile.named($0) }

    private static var cases: [Case] {
        let rules = RuleBook.standard.rules.flatMap { rule in
            rule.examples.flatMap { example in
                profiles.map { profile in
                    var handshake = example.handshake
                    handshake.profile = profile
                    return Case(
                        name: "\(rule.id.rawValue): \(example.title)", verdict: RuleBook.standard.judge(handshake))
                }
            }
        }
        return rules + profiles.flatMap(broken) + unreachable
    }

    private static func broken(on profile: OSProfile) -> [Case] {
        let http = Array("HTTP/1.1 400".utf8)
        let failures: [HandshakeFailure] =
            [
                .versionNotOffered, .suiteNotOffered, .closed(reset: false), .closed(reset: true), .notTLS([1, 2]),
                .notTLS(http), .timeout, .library(0x0A00_0152),
            ] + (0...UInt8.max).map { .alertReceived($0) }
        return failures.flatMap { failure in
            [RuleCases.good(profile).demands, nil].map { demands in
                Case(
                    name: "\(failure)",
                    verdict: RuleBook.standard.judge(
                        failure, diagnosis: nil, target: RuleCases.target, basis: RuleCases.secureDefault,
                        demands: demands, offer: RuleCases.offer(profile), profile: profile))
            }
        }
    }

    private static var unreachable: [Case] {
        let troubles: [ParentTrouble] = [
            .name(code: -2), .refused, .timeout, .reset(errno: 104), .answered(status: 407), .answered(status: 502),
            .gaveNoAnswer,
        ]
        let failures: [NetworkFailure] =
            [.name(code: -2), .refused, .timeout, .reset(errno: 104), .noDescriptors, .ownAddress, .forbidden]
            + troubles.map { .parent("proxy.example:3128", $0) }
        return failures.map {
            Case(name: "\($0)", verdict: RuleBook.standard.judge($0, target: RuleCases.target))
        }
    }

    @Test("no sentence has a raw value, is empty or repeated, and no remedy repeats its finding")
    func all() {
        var seen: Set<String> = []
        for one in Self.cases {
            let observed = one.verdict.findings.map(\.observed)
            let server = one.verdict.remedy?.sentences ?? []
            for sentence in one.verdict.findings.flatMap({ [$0.title, $0.expected, $0.observed] }) + server {
                #expect(sentence.faults == [], "\(one.name): \(sentence)")
                seen.insert(sentence)
            }
            #expect(Set(server).count == server.count, "\(one.name): \(server)")
            for sentence in server {
                #expect(sentence.hasSuffix("."), "\(one.name): \(sentence)")
                // The reason why no key helps may name the suite.
                guard !sentence.hasPrefix("No ") else { continue }
                #expect(!observed.contains { $0.count > 12 && sentence.contains($0) }, "\(one.name): \(sentence)")
            }
        }
        // Prints all sentences for reading: `PRINT_SENTENCES=1 swift test --filter SentenceTests`.
        if Self.isPrinted { print(seen.sorted().joined(separator: "\n")) }
    }

    private static var isPrinted: Bool { ProcessInfo.processInfo.environment["PRINT_SENTENCES"] != nil }
}

extension String {
    /// The reasons why a person should not see this sentence.
    var faults: [String] {
        var faults: [String] = []
        if trimmed.isEmpty { faults.append("empty") }
        if contains("..") || contains("  ") || contains(" .") || contains(": :") { faults.append("doubled") }
        if contains("errno") || contains(#/\b[a-z]+\([a-z]+: /#) || contains(#/Optional\(|\bnil\b/#) {
            faults.append("syntax")
        }
        if contains(#/[1-9]\d{8,}/#) { faults.append("a number of seconds, or a packed code") }
        if contains(#/(^|[ (])\.[a-z]+[A-Z]/#) { faults.append("a case of an enumeration") }
        return faults
    }

    private var trimmed: Substring { self[...].drop { $0 == " " } }
}
