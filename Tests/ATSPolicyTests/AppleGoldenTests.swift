import ATSPolicy
import Testing
import Text

/// The errors and log lines of each generation, compared with one golden text per generation. Source: public logs;
/// docs/console-lines.md, docs/law/errors.md#by-failure.
@Suite struct AppleGoldenTests {
    /// The kinds of failure, each with the first generation that can have it.
    private static let failures: [(name: String, failure: LoadFailure, since: Int)] = [
        ("cleartext", .cleartext, 9),
        ("untrusted root", .trust(.untrustedRoot, isStrict: true), 9),
        ("TLS too old", .handshake(.alertReceived(70), rule: .tlsVersion), 9),
        ("no forward secrecy", .handshake(.alertReceived(40), rule: .forwardSecrecy), 9),
        ("closed in the handshake", .handshake(.closed(reset: false), rule: nil), 9),
        ("pin mismatch", .trust(.pinnedIdentity, isStrict: true), 14),
        ("self-signed, ATS not strict", .trust(.selfSigned, isStrict: false), 9),
        ("refused", .network(.refused), 9),
    ]

    @Test("a generation shows its golden text", arguments: AppleGoldens.all)
    func generation(golden: AppleGoldens) throws {
        let profile = try #require(OSProfile.named(golden.profile))
        #expect(profile.logGeneration == golden.generation)
        let shown = Self.failures.filter { $0.since <= profile.release.version.major }
            .map { Self.shown($0.name, AppleErrorTests.error($0.failure, profile, facts: RuleCases.facts)) }
        #expect(shown.joined(separator: "\n") == golden.text)
    }

    @Test func everyGenerationHasAGolden() {
        #expect(Set(AppleGoldens.all.map(\.generation)) == Set(OSProfile.LogGeneration.allCases))
    }

    /// Leaves out the userInfo, which AppleErrorTests checks.
    private static func shown(_ name: String, _ error: AppleError) -> String {
        let stream = error.streamErrorCode.map { code in
            " [\(error.streamErrorDomain ?? 0):\(code) \(error.streamErrorConstant ?? "-")]"
        }
        let detail = error.detailCode.map { " detail \($0)" } ?? ""
        let head =
            "\(name): \(error.code) \(error.constant)\(stream ?? "")\(detail) \(error.confidence.rawValue)"
        let lines = error.log.map { line in
            let parts = line.split(separator: " UserInfo=", maxSplits: 1)
            return "  " + (parts.first ?? "") + (parts.count > 1 ? " UserInfo={...}" : "")
        }
        return ([head] + lines).joined(separator: "\n")
    }
}

/// The golden text of one generation, shown for one of its releases.
struct AppleGoldens: Sendable, CustomTestStringConvertible {
    let generation: OSProfile.LogGeneration
    let profile: String
    let text: String

    var testDescription: String { profile }

    /// The text of a later generation: each first text is replaced with the second one.
    func changed(_ changes: [(String, String)]) -> String {
        changes.reduce(text) { text, change in text.replacing(change.0, with: change.1) }
    }

    static let all = [ios9, ios10, ios11, ios12, ios14, ios15, ios17, ios26, ios27]
}
