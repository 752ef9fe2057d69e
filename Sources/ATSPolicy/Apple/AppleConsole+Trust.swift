/// Errors of rejected certificates.
extension AppleConsole {
    /// -1200 with -9802 (docs/console-lines.md, docs/law/errors.md#by-failure). The first line occurs together with
    /// *system* in the second wherever both were seen: GitHub, Alamofire/Alamofire issue 3091 (13), and reports of 16
    /// to 26. *strict* was seen once, on 15 and without the first line, and is a separate variant
    /// (``ConsoleVariant/strictTrust``). On 26 and 27 the description is new (docs/law/errors.md#codes) and the lines
    /// are those of 16-18 (inferred). The lines that libboringssl adds on 12 are not recorded.
    func strictTrust(_ rule: RuleID, facts: HandshakeFacts?) -> AppleError {
        let status = StreamStatus.strictTrust(rule)
        let ats = "ATS failed system trust"
        let old =
            [ats, systemTrustFailed, trustRefused, connectionFailed(domain: StreamStatus.domain, status.code)]
            + taskFailed(-1200, status)
        let usual =
            switch generation {
            case .ios9, .ios10: [streamFailed(status)]
            case .ios11: old
            case .ios12: old + [loadFailed(-1200, status, message: secureConnectionFailed, facts: facts)]
            case .ios13to15, .ios16to18, .ios26, .ios27:
                (shows(.strictTrust)
                    ? [evaluationFailed("strict", status)] : [ats, evaluationFailed("system", status)])
                    + trustFrame(-1200, status, message: secureConnectionFailed, facts: facts)
            }
        let unified = UnifiedLog(self)
        let log = unified.before(rule, status) + usual + unified.after(rule, facts: facts)
        var error = sslError(
            -1200, status, message: secureConnectionFailed,
            detail: rule.consequence?.violation(facts).rawValue, log: log)
        if shows(.strictTrust) { error.confidence = .observedOnce }
        if shows(.unifiedLog) { error.confidence = unified.confidence(rule) }
        return error
    }

    /// -1202, which an app's delegate can still override (observed; docs/law/errors.md#by-failure). No log shows the
    /// lines of 12 and 26. 17 and 18 use those of 16, as for strict trust (inferred).
    func laxTrust(_ rule: RuleID, facts: HandshakeFacts?) -> AppleError {
        let status = StreamStatus.laxTrust(rule, on: device)
        // The text of 26 for this code is not known (11), so the older one is used.
        let message =
            "The certificate for this server is invalid. You might be connecting to a server that is pretending to "
            + "be “\(target.host)” which could put your confidential information at risk."
        let log =
            switch generation {
            case .ios9, .ios10: [streamFailed(status)]
            case .ios11: [trustRefused] + taskFailed(-1202, status)
            case .ios13to15, .ios16to18:
                [evaluationFailed("default", status)]
                    + trustFrame(-1202, status, message: message, facts: facts, isLax: true)
            case .ios12, .ios26, .ios27: [String]()
            }
        // ATS rejected nothing here, except if its own minimums are the reason.
        let detail = rule.category == .ats ? rule.consequence?.violation(facts).rawValue : nil
        let shown = withoutTask(log, code: -1202)
        var error = sslError(-1202, status, message: message, detail: detail, log: shown)
        if shown.isEmpty { error.confidence = .inferred }
        return error
    }

    /// The adjective shows the mode (observed, inferred; docs/console-lines.md).
    private func evaluationFailed(_ mode: String, _ status: StreamStatus) -> String {
        "\(connection): \(mode) TLS Trust evaluation failed(\(status.code))"
    }

    /// The lines that both kinds of trust failure share since 13 (observed; docs/console-lines.md).
    private func trustFrame(
        _ code: Int, _ status: StreamStatus, message: String, facts: HandshakeFacts?, isLax: Bool = false
    ) -> [String] {
        let hasInterfaceLine = isLax && device.release < OSVersion(15)
        let served = facts?.served ?? []
        return [
            "\(connection): TLS Trust encountered error 3:\(status.code)",
            "\(connection): encountered error(3:\(status.code))",
        ]
            + (hasInterfaceLine
                ? ["\(connection): unable to determine interface type without an established connection"] : [])
            + [
                httpLoadFailed(code, status),
                finished(
                    code, message,
                    userInfo: .tls(self, code: code, status: status.code, message: message, served: served)),
            ]
    }
}
