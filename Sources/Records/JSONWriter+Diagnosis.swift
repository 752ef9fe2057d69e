import ATSPolicy
import Text

extension JSONWriter {
    /// Appends one complaint.
    mutating func finding(_ finding: Finding) {
        raw(#"{"rule":"#)
        text(finding.rule.rawValue)
        raw(#","title":"#)
        text(finding.title)
        raw(#","keyPath":"#)
        text(finding.keyPath)
        raw(#","expected":"#)
        text(finding.expected)
        raw(#","observed":"#)
        text(finding.observed)
        raw(#","confidence":"#)
        text(finding.confidence.rawValue)
        raw(#","source":"#)
        text(finding.source)
        raw("}")
    }

    /// Appends what a device would say, or `null`.
    mutating func apple(_ error: AppleError?) {
        guard let error else { return raw("null") }
        raw(#"{"domain":"#)
        text(error.domain)
        raw(#","code":"#)
        number(Int64(error.code))
        raw(#","constant":"#)
        text(error.constant)
        raw(#","message":"#)
        text(error.message)
        raw(#","streamErrorDomain":"#)
        number(error.streamErrorDomain)
        raw(#","streamErrorCode":"#)
        number(error.streamErrorCode)
        raw(#","streamErrorConstant":"#)
        text(error.streamErrorConstant)
        raw(#","detailCode":"#)
        number(error.detailCode)
        raw(#","log":"#)
        texts(error.log)
        raw(#","confidence":"#)
        text(error.confidence.rawValue)
        raw("}")
    }

    /// Appends what would help, or `null`.
    mutating func remedy(_ remedy: Remedy?) {
        guard let remedy else { return raw("null") }
        raw(#"{"server":"#)
        texts(remedy.server)
        raw(#","exception":"#)
        if let fix = remedy.exception { exception(fix) } else { raw("null") }
        raw("}")
    }

    private mutating func exception(_ fix: ExceptionFix) {
        raw("{")
        text(fix.domain)
        raw(":{")
        var isFirst = true
        for setting in fix.settings {
            if !isFirst { raw(",") }
            isFirst = false
            text(setting.key)
            raw(":")
            switch setting.value {
            case .flag(let flag): self.flag(flag)
            case .text(let text): self.text(text)
            }
        }
        raw("}}")
    }
}
