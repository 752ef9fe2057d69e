import ATSPolicy
import HTTPWire
import Records

/// Answers that the gate writes itself.
extension ProxySession {
    /// An answer for something that is no matter of policy.
    ///
    /// - Parameters:
    ///   - head: the request; nil when it could not be read.
    ///   - ends: the connection ends with this answer.
    func answer(
        _ status: Int, to head: RequestHead?, title: String, sentences: [String], ends: Bool = true,
        failure: LoadFailure? = nil
    ) {
        if answeredBySOCKS(status, failure) { return }
        let page = GatePage(status: status, title: title, sentences: sentences, wantsJSON: head.wantsJSON)
        write(page, to: head, ends: ends)
    }

    /// The page for a load that the policy refuses.
    func answer(
        refusal diagnosis: DiagnosisCard, failure: LoadFailure?, to head: RequestHead, target: LoadTarget, ends: Bool
    ) {
        let url = target.origin + Exchange.pathText(of: head)
        let page = GatePage(url: url, client: asker, diagnosis: diagnosis, wantsJSON: head.wantsJSON)
        write(page, to: head, ends: ends)
    }

    private func write(_ page: GatePage, to head: RequestHead?, ends: Bool) {
        client.compose { page.write(to: $0, withBody: head?.method != .head, ends: ends) }
    }
}

extension Optional<RequestHead> {
    /// API clients ask for JSON; everyone else gets the page.
    fileprivate var wantsJSON: Bool { self?.wantsJSON ?? false }
}

extension RequestHead {
    var wantsJSON: Bool {
        guard let accept = fields.value(of: .accept)?.lowercased() else { return false }
        return accept.contains("json") && !accept.contains("text/html")
    }
}
