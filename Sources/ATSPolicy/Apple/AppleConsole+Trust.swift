/// Certificates that were refused.
extension AppleConsole {
    /// -1200 with -9802 (6.6, 6.7). On 26 the description is new (6.1) and the lines are those of 16-18 `[I]`.
    func strictTrust(_ rule: RuleID, facts: HandshakeFacts?) -> AppleError {
        let status = StreamStatus.strictTrust(rule)
        let log =
            ["ATS failed system trust", "\(connection): system TLS Trust evaluation failed(\(status.code))"]
            + trustFrame(-1200, status, message: secureConnectionFailed, facts: facts)
        return sslError(
            -1200, status, message: secureConnectionFailed,
            detail: AppleErrorTable.detailCode(for: rule, isLeaf: Self.blamesLeaf(rule, facts)), log: log)
    }

    /// -1202, which an app's delegate could still overrule (6.7 `[O]`). 6.6 has lines up to 16-18 only.
    func laxTrust(_ rule: RuleID, facts: HandshakeFacts?) -> AppleError {
        let status = StreamStatus.laxTrust(rule)
        // The wording of 26 for this code is not known (11); the older one stands in.
        let message =
            "The certificate for this server is invalid. You might be connecting to a server that is pretending to "
            + "be “\(target.host)” which could put your confidential information at risk."
        let log =
            switch generation {
            case .ios16to18:
                ["\(connection): default TLS Trust evaluation failed(\(status.code))"]
                    + trustFrame(-1202, status, message: message, facts: facts)
            case .ios26: [String]()
            }
        // ATS refused nothing here, except where its own minimums are the reason.
        let detail: Int? =
            switch rule {
            case .keySize, .signatureHash:
                AppleErrorTable.detailCode(for: rule, isLeaf: Self.blamesLeaf(rule, facts))
            default: nil
            }
        return sslError(-1202, status, message: message, detail: detail, log: log)
    }

    /// The lines that both kinds of trust failure share (6.6 `[O]`).
    private func trustFrame(
        _ code: Int, _ status: StreamStatus, message: String, facts: HandshakeFacts?
    ) -> [String] {
        [
            "\(connection): TLS Trust encountered error 3:\(status.code)",
            "\(connection): encountered error(3:\(status.code))",
            "\(task) HTTP load failed, 0/0 bytes (error code: \(code) [3:\(status.code)])",
            finished(
                code, message,
                userInfo: .tls(self, code: code, status: status.code, message: message, served: facts?.served ?? [])),
        ]
    }

    /// Whether the weak signature is the leaf's own; Apple has a number for each (6.2).
    private static func blamesLeaf(_ rule: RuleID, _ facts: HandshakeFacts?) -> Bool {
        guard rule == .signatureHash, let leaf = facts?.path.first ?? facts?.served.first else { return true }
        return leaf.signatureHashBits.map { $0 < 256 } ?? false
    }
}
