import ATSPolicy
import Records
import Text

/// One load as lines for a console.
struct LoadLine {
    let paint: Paint

    /// A refused or failed load: `apple.log`, then rule, key path, what was seen and the smallest fix.
    func trouble(_ record: LoadRecord) -> String {
        var lines = (record.diagnosis?.apple?.log ?? []).map { paint.quiet($0.printable) + "\n" }.joined()
        lines += "atsgate: \(paint.verdict(record.verdict.words, record.verdict)) \(record.load.url.printable)"
        guard let finding = record.diagnosis?.findings.first else { return lines + "\n" }
        lines += " by " + paint.strong(finding.rule.rawValue)
        let deciding = DecidingKey(record.policy).words(for: finding.rule.rawValue, keyPath: finding.keyPath)
        if let deciding { lines += " (\(deciding.printable))" }
        lines += ": " + finding.observed.printable
        let others = record.diagnosis?.findings.dropFirst().map(\.rule.rawValue) ?? []
        if !others.isEmpty { lines += "; also " + others.joined(separator: ", ") }
        if let fix = record.diagnosis?.remedy?.words { lines += "; fix: " + fix.printable }
        return lines + "\n"
    }

    /// A load that passed, for example `atsgate: allowed GET https://example.com/ 200 TLS 1.3 12 ms`.
    func pass(_ record: LoadRecord) -> String {
        var parts = ["atsgate:", paint.verdict(record.verdict.words, record.verdict)]
        parts += [record.load.method.printable, record.load.url.printable]
        if let status = record.status { parts.append(String(status)) }
        if let version = record.origin?.facts?.version { parts.append("TLS " + version.name) }
        parts.append("\(record.timing.total / 1000) ms")
        return parts.joined(separator: " ") + "\n"
    }
}

extension Remedy {
    /// The smallest fix in one sentence: the server's first, then the exception; nil when there is neither.
    var words: String? {
        let fixes = [server.first, exception.map { "would free it: " + $0.sentence }].compactMap(\.self)
        return fixes.isEmpty ? nil : fixes.joined(separator: "; or ")
    }
}
