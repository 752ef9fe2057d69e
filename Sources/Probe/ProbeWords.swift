import ATSPolicy
import Diagnosis
import Records
import Text

extension ProbeResult {
    /// Several lines for people: the verdict, why, what the device says, what the origin showed, and what would help.
    public var words: String {
        var rows = [target.url.printable, row(verdict.rawValue, summary)]
        rows += (diagnosis?.findings ?? []).map {
            row(
                $0.rule.rawValue == rule?.rawValue ? "why" : "besides",
                "\($0.title): \($0.observed); expected \($0.expected) [\($0.rule.rawValue)]")
        }
        rows += keyRows + appleRows
        for answer in answers { rows += answer.rows(isAlone: answers.count == 1).map { row($0, $1) } }
        if let nameless { rows.append(row("no SNI", nameless.words)) }
        rows += remedyRows
        return rows.map(\.printableLines).joined(separator: "\n")
    }

    /// One line of a table of systems: the verdict, the rule, Apple's codes.
    public var row: String {
        let codes = verdict == .pass ? nil : diagnosis?.apple?.shortCode
        return ["  " + system.title.padded(to: 12), verdict.rawValue.padded(to: 5), rule?.rawValue ?? "", codes ?? ""]
            .filter { !$0.isEmpty }.joined(separator: "  ")
    }

    /// One line: system, rule and codes.
    var summary: String {
        let codes = diagnosis?.apple.map { " \($0.shortCode)" } ?? ""
        return verdict == .pass ? "on \(system.title)" : "on \(system.title): \(rule?.rawValue ?? "")\(codes)"
    }

    private var keyRows: [String] {
        let basis = ruling.basis
        guard let path = basis.keyPath else { return [] }
        return [row("key", basis.isBuiltIn ? "\(path) (built in)" : path)]
    }

    private var appleRows: [String] {
        guard verdict != .pass, let apple = diagnosis?.apple else { return [] }
        let detail = apple.detailCode.map { ", detail \($0)" } ?? ""
        return [row("device", "\(apple.shortCode) \(apple.constant)\(detail) (\(apple.confidence.rawValue))")]
            + apple.log.map { row("prints", $0) }
    }

    private var remedyRows: [String] {
        guard verdict != .pass else { return [] }
        var rows = (diagnosis?.remedy?.server ?? []).map { row("server", $0) }
        for change in ServerChange.all(for: diagnosis?.findings.map(\.rule) ?? []) {
            let condition = change.condition.isEmpty ? "" : "  (\(change.condition))"
            rows += change.lines.enumerated().map { row($0 == 0 ? change.server : "", $1 + ($0 == 0 ? condition : "")) }
        }
        if let exception { rows.append(row("exception", exception.sentence)) }
        if let proof { rows.append(row(exception == nil ? "no key" : "proof", proof)) }
        return rows
    }

    private func row(_ label: String, _ text: String) -> String { Self.row(label, text) }

    static func row(_ label: String, _ text: String) -> String {
        "  " + label + String(repeating: " ", count: max(1, labelColumns - label.count)) + text
    }

    /// Width of the label column, in characters.
    private static let labelColumns = 11
}

extension AppleError {
    /// As people quote it: `-1200 [3:-9802]`.
    var shortCode: String {
        guard let streamErrorCode else { return "\(code)" }
        return "\(code) [\(streamErrorDomain ?? 0):\(streamErrorCode)]"
    }
}

extension NamelessAnswer {
    fileprivate var words: String {
        switch self {
        case .sameCertificate: "the same certificate"
        case .otherCertificate(let subject): "another certificate, \(subject)"
        case .refuses: "no handshake"
        }
    }
}
