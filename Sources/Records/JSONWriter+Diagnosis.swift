import ATSPolicy

extension JSONWriter {
    /// Appends findings, origin, apple and remedy: the part that a plain allowed load mostly leaves empty.
    mutating func diagnosisAndOrigin(_ record: LoadRecord) {
        raw(#","findings":"#)
        list(record.diagnosis?.findings ?? []) { $0.finding($1) }
        raw(#","origin":"#)
        if let origin = record.origin { card(origin) { $0.origin($1) } } else { raw("null") }
        raw(#","apple":"#)
        if let apple = record.diagnosis?.apple { self.apple(apple) } else { raw("null") }
        raw(#","remedy":"#)
        if let remedy = record.diagnosis?.remedy { self.remedy(remedy) } else { raw("null") }
    }

    private mutating func finding(_ finding: Finding) {
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

    private mutating func apple(_ error: AppleError) {
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

    private mutating func remedy(_ remedy: Remedy) {
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
