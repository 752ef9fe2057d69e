import ATSPolicy

/// How much a record keeps of what others wrote. What is longer is cut, and ends in a mark that tells how many bytes
/// are missing, for example `/search?q=aaaa…(+51200 bytes)`.
///
/// Few servers take more than 8 KB in a request line (RFC 9112 section 3 asks for 8,000 bytes at least).
public enum RecordLimits {
    public static let methodBytes = 64
    /// Path and query of a URL, and the URL of the load that redirected here.
    public static let urlBytes = 8192
    public static let userAgentBytes = 1024
    /// A sentence of ours or a device's line: room for one URL that has to be repeated.
    public static let sentenceBytes = 10_240
}

extension String {
    /// This text, or its first `limit` bytes and the mark.
    func clipped(to limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: limit)
        // Not within a character's bytes.
        while end > utf8.startIndex, !isOnScalar(end) { end = utf8.index(before: end) }
        let kept = self[..<end]
        return kept + "…(+\(utf8.count - kept.utf8.count) bytes)"
    }

    private func isOnScalar(_ index: Index) -> Bool { index.samePosition(in: unicodeScalars) != nil }
}

extension Finding {
    fileprivate func clipped() -> Finding {
        var finding = self
        finding.expected = expected.clipped(to: RecordLimits.sentenceBytes)
        finding.observed = observed.clipped(to: RecordLimits.sentenceBytes)
        return finding
    }

    fileprivate var bytes: Int { expected.utf8.count + observed.utf8.count }
}

extension AppleError {
    fileprivate func clipped() -> AppleError {
        var error = self
        error.message = message.clipped(to: RecordLimits.sentenceBytes)
        error.log = log.map { $0.clipped(to: RecordLimits.sentenceBytes) }
        return error
    }

    fileprivate var bytes: Int { log.reduce(message.utf8.count) { $0 + $1.utf8.count } }
}

/// What a diagnosis keeps: nothing is copied where nothing is too long.
struct ClippedDiagnosis {
    let findings: [Finding]
    let apple: AppleError?
    let remedy: Remedy?
    /// Of all texts, about.
    let bytes: Int

    init(findings: [Finding], apple: AppleError?, remedy: Remedy?) {
        let limit = RecordLimits.sentenceBytes
        let isLong = { (text: String) in text.utf8.count > limit }
        let areLong = findings.contains { isLong($0.expected) || isLong($0.observed) }
        self.findings = areLong ? findings.map { $0.clipped() } : findings
        self.apple = apple.map { isLong($0.message) || $0.log.contains(where: isLong) ? $0.clipped() : $0 }
        let hasLongFix = remedy?.server.contains(where: isLong) ?? false
        self.remedy = remedy.map {
            hasLongFix ? Remedy(server: $0.server.map { $0.clipped(to: limit) }, exception: $0.exception) : $0
        }
        bytes =
            self.findings.reduce(self.apple?.bytes ?? 0) { $0 + $1.bytes }
            + (self.remedy?.server.reduce(0) { $0 + $1.utf8.count } ?? 0)
    }
}

extension LoadRecord {
    /// What it takes in memory, about: its own texts, those of its client and its diagnosis, and the rest.
    public var bytes: Int {
        let texts = load.method.utf8.count + load.path.utf8.count + (load.redirectedFrom?.utf8.count ?? 0)
        return structureBytes + texts + (client.userAgent?.utf8.count ?? 0) + (diagnosis?.bytes ?? 0)
    }
}

extension [LoadRecord] {
    /// What they take in memory, about. Looks at them where they are: a copy of each would cost more than that.
    public var bytes: Int {
        withUnsafeBufferPointer { records in
            var bytes = structureBytes * records.count
            for index in records.indices {
                bytes += records[index].load.method.utf8.count + records[index].load.path.utf8.count
                if let url = records[index].load.redirectedFrom { bytes += url.utf8.count }
                if let agent = records[index].client.userAgent { bytes += agent.utf8.count }
                if let diagnosis = records[index].diagnosis { bytes += diagnosis.bytes }
            }
            return bytes
        }
    }
}

/// A record without its texts, and its share of the cards.
private let structureBytes = 512
