/// A check of a trust evaluation that failed: `leaf AnchorTrusted`. Source: Security, SecPolicyChecks.list;
/// docs/law/trust.md#words-of-a-trust-evaluation.
public struct FailedCheck: Sendable, Hashable {
    /// The certificate: `leaf`, `ca1`, `root`.
    public let place: String
    public let name: String

    /// In the form of the line.
    public var words: String { "\(place) \(name)" }
}

extension EvidenceTask {
    /// The checks that its lines name as failed, without duplicates, in the order of the lines.
    public var failedChecks: [FailedCheck] {
        var checks: [FailedCheck] = []
        for line in lines {
            guard let start = Self.checkLines.lazy.compactMap({ line.firstRange(of: $0)?.upperBound }).first else {
                continue
            }
            for group in line[start...].matches(of: /\[([a-z]+[0-9]*)((?: [A-Za-z0-9]+)+) ?\]/) {
                for name in group.output.2.split(separator: " ") {
                    let check = FailedCheck(place: String(group.output.1), name: String(name))
                    guard !checks.contains(check), checks.count < Self.mostChecks else { continue }
                    checks.append(check)
                }
            }
        }
        return checks
    }

    /// The line of systems up to about iOS 10, and that of later ones.
    private static let checkLines = ["Trust evaluate failure:", "SecTrustEvaluate "]
    /// A chain has few certificates, and an evaluation about fifty checks.
    private static let mostChecks = 64
}
