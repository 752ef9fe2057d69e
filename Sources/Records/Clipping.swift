import ATSPolicy
import Text

/// The longest texts that a record keeps of what others wrote. A longer text is cut, and ends in a mark with the number
/// of missing bytes, for example `/search?q=aaaa…(+51200 bytes)`.
///
/// Few servers accept more than 8 KB in a request line (RFC 9112 section 3 recommends at least 8,000 bytes).
public enum RecordLimits {
    public static let methodBytes = 64
    /// Path and query of a URL.
    public static let urlBytes = 8192
    /// The URL of the load that redirected here; an origin may have written it.
    public static let redirectBytes = 2048
    public static let userAgentBytes = 1024
    /// One of our sentences or one line of a device: room for one URL that must be repeated.
    public static let sentenceBytes = 10_240
    /// All sentences of a load together, once it is filed; longer ones get a share each. Applied only after their URLs
    /// are masked, because masking needs whole URLs.
    public static let diagnosisBytes = 5_120
}

extension Finding {
    fileprivate func clipped(to limit: Int) -> Finding {
        var finding = self
        finding.expected = expected.cut(toBytes: limit)
        finding.observed = observed.cut(toBytes: limit)
        return finding
    }

    fileprivate var bytes: Int { expected.utf8.count + observed.utf8.count }
}

extension AppleError {
    fileprivate func clipped(to limit: Int) -> AppleError {
        var error = self
        error.message = message.cut(toBytes: limit)
        error.log = log.map { $0.cut(toBytes: limit) }
        return error
    }

    fileprivate var bytes: Int { log.reduce(message.utf8.count) { $0 + $1.utf8.count } }
}

/// The parts of a diagnosis with long sentences cut. Copies only what is too long.
struct ClippedDiagnosis {
    let findings: [Finding]
    let apple: AppleError?
    let remedy: Remedy?
    /// Approximate size of all texts.
    let bytes: Int

    /// - Parameter limit: longest sentence, in bytes.
    init(findings: [Finding], apple: AppleError?, remedy: Remedy?, limit: Int) {
        let isLong = { (text: String) in text.utf8.count > limit }
        let areLong = findings.contains { isLong($0.expected) || isLong($0.observed) }
        self.findings = areLong ? findings.map { $0.clipped(to: limit) } : findings
        self.apple = apple.map { isLong($0.message) || $0.log.contains(where: isLong) ? $0.clipped(to: limit) : $0 }
        let hasLongFix = remedy?.sentences.contains(where: isLong) ?? false
        self.remedy = remedy.map {
            hasLongFix ? $0.with { $0.cut(toBytes: limit) } : $0
        }
        bytes =
            self.findings.reduce(self.apple?.bytes ?? 0) { $0 + $1.bytes }
            + (self.remedy?.sentences.reduce(0) { $0 + $1.utf8.count } ?? 0)
    }

}

extension RecordedDiagnosis {
    /// A copy with at most ``RecordLimits/diagnosisBytes``. Short sentences stay, and long ones get equal shares of the
    /// rest.
    var filed: RecordedDiagnosis {
        guard bytes > RecordLimits.diagnosisBytes else { return self }
        let texts =
            findings.flatMap { [$0.expected, $0.observed] } + (apple.map { [$0.message] + $0.log } ?? [])
            + (remedy?.sentences ?? [])
        var room = RecordLimits.diagnosisBytes
        var limit = RecordLimits.sentenceBytes
        for (place, length) in texts.map(\.utf8.count).sorted().enumerated() {
            let share = room / (texts.count - place)
            if length > share {
                limit = max(share - markBytes, 0)
                break
            }
            room -= length
        }
        return RecordedDiagnosis(findings: findings, apple: apple, remedy: remedy, limit: limit)
    }
}

/// Length of the mark at the end of a cut text.
private let markBytes = 24

extension LoadRecord {
    /// Approximate size in memory: its own texts, those of its client and its diagnosis, and the rest.
    public var bytes: Int {
        let texts =
            self.load.method.utf8.count + self.load.path.utf8.count + (self.load.redirectedFrom?.utf8.count ?? 0)
        return structureBytes + texts + (self.client.userAgent?.utf8.count ?? 0) + (self.diagnosis?.bytes ?? 0)
            + (self.origin?.excessBytes ?? 0) + (self.device?.bytes ?? 0)
    }
}

extension [LoadRecord] {
    /// Approximate size in memory.
    public var bytes: Int { reduce(0) { $0 + $1.bytes } }
}

extension RecordedOrigin {
    /// Most parts are small and shared by many records. The excess of a large one counts for this record alone.
    fileprivate var excessBytes: Int { max(0, bytes - usualCardBytes) }
}

/// A chain with three certificates, and its path.
private let usualCardBytes = 8_192
/// A record without its texts, with its share of the parts.
private let structureBytes = 512
