import ATSPolicy
import Diagnosis
import Records
import Text

extension ProbeResult {
    /// Several lines for people. In brief: the verdict, its reason, the served chain, the fix on the server, and the
    /// exception that helps, with its proof.
    public func words(_ style: ProbeStyle = ProbeStyle()) -> String {
        let rows = style.isVerbose ? allRows(style) : briefRows(style)
        let heading = style.isColoured ? "\u{1B}[1m\(target.url.printable)\u{1B}[0m" : target.url.printable
        return
            ([heading, ProbeRow(word.rawValue, summary).line(style, colour: word.colour)]
            + rows.map { $0.line(style) }).joined(separator: "\n")
    }

    /// One line of a table of releases: the verdict, the rule, Apple's codes. A finding of a load that passes is in
    /// parentheses.
    public var row: String {
        let codes = verdict == .pass ? nil : diagnosis?.apple?.codes
        let remark = rule == nil ? diagnosis?.findings.first.map { "(\($0.rule.rawValue))" } : nil
        return [
            "  " + system.title.padded(to: 12), word.rawValue.padded(to: 7), rule?.rawValue ?? remark ?? "",
            codes ?? "",
        ]
        .filter { !$0.isEmpty }.joined(separator: "  ")
    }

    /// One line: release, rule and codes.
    var summary: String {
        let codes = diagnosis?.apple.map { " \($0.codes)" } ?? ""
        guard verdict == .pass else { return "on \(system.title): \(rule?.rawValue ?? "")\(codes)" }
        if target.target.scheme == .http { return "on \(system.title): the ruling alone; no connection was made" }
        return "on \(system.title)" + (decisive?.facts.map { ": " + $0.agreement } ?? "")
    }

    private func briefRows(_ style: ProbeStyle) -> [ProbeRow] {
        let findings = diagnosis?.findings ?? []
        var rows = findings.prefix(1).map { finding in
            let more = findings.count - 1
            return ProbeRow(
                label(finding),
                finding.words
                    + (more == 0 ? "" : "; and \(more) more \(more == 1 ? "finding" : "findings") (--verbose)"))
        }
        if let addresses = answers.summary { rows.append(ProbeRow("addresses", addresses)) }
        rows += decisive?.briefRows ?? []
        return rows + remedyRows(style)
    }

    private func allRows(_ style: ProbeStyle) -> [ProbeRow] {
        var rows = (diagnosis?.findings ?? []).map { ProbeRow(label($0), $0.words) }
        rows += keyRows + appleRows
        for answer in answers { rows += answer.rows(isAlone: answers.count == 1) }
        if let nameless { rows.append(ProbeRow("no SNI", nameless.words)) }
        return rows + remedyRows(style)
    }

    private func label(_ finding: Finding) -> String { finding.rule.rawValue == rule?.rawValue ? "why" : "also" }

    private var keyRows: [ProbeRow] {
        let basis = ruling.basis
        guard let path = basis.keyPath else { return [] }
        return [ProbeRow("key", basis.isBuiltIn ? "\(path) (built in)" : path)]
    }

    private var appleRows: [ProbeRow] {
        guard verdict != .pass, let apple = diagnosis?.apple else { return [] }
        let detail = apple.detailCode.map { ", detail \($0)" } ?? ""
        return [ProbeRow("device", "\(apple.codes) \(apple.constant)\(detail) (\(apple.confidence.rawValue))")]
            + apple.log.map { ProbeRow("prints", $0, isVerbatim: true) }
    }

    private func remedyRows(_ style: ProbeStyle) -> [ProbeRow] {
        guard verdict != .pass else { return [] }
        let advice = diagnosis?.remedy?.advice ?? []
        let place = isDecrypted ? "fix" : "server"
        let forServer = advice.filter(\.isForServer).map(\.sentence)
        var rows =
            style.isVerbose
            ? forServer.map { ProbeRow(place, $0) }
            : forServer.isEmpty ? [] : [ProbeRow(place, forServer.joined(separator: " "))]
        let changes = ServerChange.all(for: diagnosis?.findings.map(\.rule) ?? [])
        if !changes.isEmpty, style.server == nil, !style.isVerbose {
            rows.append(
                ProbeRow(
                    "settings", "--server nginx prints the lines; also apache, haproxy, caddy, iis, alb, cloudfront"))
        }
        // Several servers share the lines for a CA of one's own.
        var shown: Set<String> = []
        for change in changes where style.shows(change) {
            let condition = change.condition.isEmpty ? "" : "  (\(change.condition))"
            rows += change.lines(for: target.target.host).filter { shown.insert($0).inserted }.enumerated().map {
                ProbeRow($0 == 0 ? change.server : "", $1 + ($0 == 0 ? condition : ""), isVerbatim: true)
            }
        }
        rows += advice.compactMap(\.reason).map { ProbeRow("no key", $0) }
        // These failures often pass on a retry, so no advice for the server settles them.
        if rule == .tlsClosed || rule == .tlsTimeout, let page = QuestionPage.topic(for: .tlsClosed) {
            rows.append(ProbeRow("help", "if a retry passes: atsgate explain \(page)"))
        }
        if let exception { rows.append(ProbeRow("exception", exception.sentence)) }
        if let toPaste {
            let (label, lines) =
                style.showsCommands ? ("commands", toPaste.plistBuddy) : ("plist", toPaste.xml)
            rows += lines.enumerated().map { ProbeRow($0 == 0 ? label : "", $1, isVerbatim: true) }
        }
        if let proof { rows.append(ProbeRow(exception == nil ? "no key" : "proof", proof)) }
        return rows
    }
}

extension ProbeResult.Word {
    /// The colour on a terminal.
    fileprivate var colour: String {
        switch self {
        case .allowed: "32"
        case .blocked, .failed: "31"
        case .unknown: "33"
        }
    }
}

extension Finding {
    fileprivate var words: String { "\(title): \(observed); expected \(expected) [\(rule.rawValue)]" }
}

extension [ProbeAnswer] {
    /// The result of each address; nil if there is only one, whose result is the verdict.
    fileprivate var summary: String? {
        guard count > 1 else { return nil }
        return map { answer in
            let place = answer.origin?.address ?? "another address"
            return place + (answer.isPassed ? " is allowed" : answer.isError ? " was not judged" : " fails")
        }.joined(separator: ", ")
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
