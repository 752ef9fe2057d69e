import ATSPolicy

/// Rules for masking URLs in records. Authorization, cookies and bodies are never part of a record.
public struct RedactionRules: Sendable, Hashable {
    /// Keeps fragments and the values of queries and path parameters. User names and passwords are always removed.
    public var keepsQueryValues: Bool

    public init(keepsQueryValues: Bool = false) {
        self.keepsQueryValues = keepsQueryValues
    }

    /// Masks `record` in place and lists what was masked in `record.masked`.
    public func apply(to record: inout LoadRecord) {
        redactHost(of: &record)
        redactRedirection(of: &record)
        let rawValues = redactPath(of: &record)
        redactDiagnosis(of: &record, rawValues: rawValues)
        redactDevice(of: &record, rawValues: rawValues)
    }

    private func redactHost(of record: inout LoadRecord) {
        let target = record.load.target
        // Searched in contiguous memory first: the collection's own search costs 370 instructions without a match
        // (callgrind).
        guard target.host.utf8.withContiguousStorageIfAvailable({ $0.contains(UInt8(ascii: "@")) }) ?? true,
            let at = target.host.utf8.lastIndex(of: UInt8(ascii: "@"))
        else { return }
        let host = String(target.host[target.host.utf8.index(after: at)...])
        record.load.target = LoadTarget(scheme: target.scheme, host: host, port: target.port)
        record.masked.append("load.url.userinfo")
    }

    private func redactRedirection(of record: inout LoadRecord) {
        guard let url = record.load.redirectedFrom else { return }
        var mask = URLMask(keepsQueryValues: keepsQueryValues)
        record.load.redirectedFrom = mask.url(url)
        record.masked += mask.hiddenParts.names(in: "load.redirectedFrom.")
    }

    /// Returns the original path from its first value on, to find it in other texts; nil if nothing was masked.
    private func redactPath(of record: inout LoadRecord) -> Substring? {
        let path = record.load.path
        guard path.firstValue != nil else { return nil }
        var mask = URLMask(keepsQueryValues: keepsQueryValues)
        let kept = mask.path(path)
        guard !mask.hiddenParts.isEmpty else { return nil }
        record.load.path = kept
        record.masked += mask.hiddenParts.names(in: "load.url.")
        return path.firstValue.map { path[$0...] }
    }

    /// A device's lines and our own sentences may repeat the URL, or contain another one.
    private func redactDiagnosis(of record: inout LoadRecord, rawValues: Substring?) {
        guard let diagnosis = record.diagnosis else { return }
        var findings = diagnosis.findings
        var apple = diagnosis.apple
        var masked: [String] = []
        let cleaner = SentenceCleaner(rules: self, rawValues: rawValues, path: record.load.path)
        for index in findings.indices {
            let isChanged = [cleaner.clean(&findings[index].observed), cleaner.clean(&findings[index].expected)]
            if isChanged.contains(true), !masked.contains("findings") { masked.append("findings") }
        }
        if var error = apple {
            if cleaner.clean(&error.message) { masked.append("apple.message") }
            for index in error.log.indices where cleaner.clean(&error.log[index]) {
                if !masked.contains("apple.log") { masked.append("apple.log") }
            }
            apple = error
        }
        if masked.isEmpty {
            record.diagnosis = diagnosis.filed
        } else {
            record.diagnosis = RecordedDiagnosis(findings: findings, apple: apple, remedy: diagnosis.remedy).filed
            record.masked += masked
        }
    }
}

extension RedactionRules {
    /// A device's own lines repeat the URL, too.
    private func redactDevice(of record: inout LoadRecord, rawValues: Substring?) {
        guard let device = record.device else { return }
        let cleaner = SentenceCleaner(rules: self, rawValues: rawValues, path: record.load.path)
        var (lines, how) = (device.lines, device.how ?? "")
        let isHowChanged = cleaner.clean(&how)
        for index in lines.indices where cleaner.clean(&lines[index]) {
            if !record.masked.contains("device.lines") { record.masked.append("device.lines") }
        }
        guard isHowChanged || lines != device.lines else {
            record.device = device.filed
            return
        }
        record.device =
            device.with(how: device.how.map { _ in how }, lines: lines).filed
    }
}

/// Cleans sentences that may quote the load's own URL.
private struct SentenceCleaner {
    let rules: RedactionRules
    let rawValues: Substring?
    /// The masked path of the load.
    let path: String

    /// Cleans `text`. Returns true if it changed.
    func clean(_ text: inout String) -> Bool {
        var kept = text
        if let rawValues, let masked = path.firstValue {
            kept = kept.replacing(rawValues, with: path[masked...])
        }
        // Searched in contiguous memory first, like the @ above.
        if kept.utf8.withContiguousStorageIfAvailable({ $0.contains(UInt8(ascii: ":")) }) ?? true {
            var mask = URLMask(keepsQueryValues: rules.keepsQueryValues)
            kept = mask.sentence(kept)
        }
        guard kept != text else { return false }
        text = kept
        return true
    }
}

extension String {
    /// Index of the first path parameter, the query or the fragment; the text before it stays.
    fileprivate var firstValue: Index? {
        utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: ";") }
    }
}
