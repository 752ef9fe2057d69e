import ATSPolicy
import Diagnosis
import Records
import Text

/// A report as plain text: the result, then the problems with their reasons and possible fixes, then the recording.
enum TextReport {
    static func render(_ report: ReportModel, _ context: ReportContext) -> String {
        let colours = TerminalColours(isColoured: context.isColoured)
        let verdict = ReportVerdict(report, context.rules)
        var text = ([verdict.sentence] + verdict.doubts).map { colours.strong($0.printable) + "\n" }.joined()
        text += report.agreement.text(colours: colours)
        text += report.hellos.text(colours: colours)
        let cases = report.cases(by: context.rules)
        var said: Set<String> = []
        for verdict in ReportModel.verdicts {
            let troubles = verdict.isTrouble ? cases.filter(\.isReported).compactMap { $0.only(verdict) } : []
            let groups = verdict.isTrouble ? [] : report.groups(verdict)
            let loads = troubles.reduce(0) { $0 + $1.loads } + groups.reduce(0) { $0 + $1.loads }
            guard loads > 0 else { continue }
            text += "\n" + colours.verdict("\(verdict.words.uppercased()) (\(loads))", verdict) + "\n"
            text += ReportCause.grouped(troubles).map {
                TroubleBlock(cause: $0, colours: colours, context: context).text(said: &said)
            }
            .joined(separator: "\n")
            if !groups.isEmpty { text += table(of: groups) }
        }
        text += known(cases, context, colours) + report.hints.text(colours: colours)
        return text + "\n" + report.header.text(colours: colours, report.shownEntrances)
    }

    /// Loads without a problem, a row for each origin. The URL is the last column, so that no cell is cut off.
    private static func table(of groups: [ReportRow]) -> String {
        let rows = groups.map { [String($0.loads), $0.tlsVersion ?? "-", $0.url + $0.otherURLs] }
        return TextTable(["count", "tls", "url"], rows, numbers: [0]).text(margin: "  ")
    }

    /// The problems that the baseline lists, a line each.
    private static func known(_ cases: [ReportCase], _ context: ReportContext, _ colours: TerminalColours) -> String {
        let known = cases.filter { $0.judgement == .known }
        guard !known.isEmpty, let file = context.rules.baselineFile else { return "" }
        let loads = known.reduce(0) { $0 + $1.loads }
        let lines = known.map { "  \($0.key.host)  \($0.key.rule ?? "-")  x\($0.loads)".printable + "\n" }
        return "\n" + colours.strong("KNOWN (\(loads))") + "  in \(file.printable)\n" + lines.joined()
    }
}

/// A problem in the console's format: result, reason, connection, fixes and client. Hosts with the same one share a
/// block.
struct TroubleBlock {
    let cause: ReportCause
    let colours: TerminalColours
    let context: ReportContext

    /// - Parameter said: sentences that earlier blocks contain and that are not repeated. Adds those of this block.
    func text(said: inout Set<String>) -> String {
        guard let first = cause.groups.first else { return "" }
        let numbers = cause.groups.compactMap { $0.first.numbers }.each.joined(separator: "; ")
        let hosts = cause.hosts
        let isAlone = hosts.count == 1
        let head = [
            isAlone ? hosts[0] : "", colours.strong(first.key.rule ?? "-"), numbers, "x\(cause.loads)",
            isAlone ? "" : "on \(hosts.count) hosts",
        ]
        var text = "  " + head.filter { !$0.isEmpty }.map(printable).joined(separator: "  ") + "\n"
        text += isAlone ? rows(of: cause.groups) : cause.cases.map(rows).joined()
        for failure in cause.groups.compactMap(\.deviceFailure).each { text += row("probe", failure) }
        text += others(said: &said)
        if isAlone {
            text += row("tls", first.first.origin?.facts.map(Self.negotiated))
            text += row("chain", first.first.origin?.facts.flatMap(ChainWords.words))
        }
        text += fixes(said: &said)
        for client in cause.groups.map({ Self.client($0.first) }).each { text += row("client", client) }
        for origin in cause.groups.compactMap(\.first.load.redirectedFrom).each {
            text += row("from", "a redirect by \(origin)")
        }
        return text
    }

    private func rows(of groups: [ReportRow]) -> String {
        var text = groups.map { row("url", $0.url + $0.otherURLs) }.joined()
        for why in groups.compactMap(\.why).each { text += row("why", why) }
        return text
    }

    /// A host among several, with its own reason.
    private func rows(of reported: ReportCase) -> String {
        let groups = reported.groups
        let urls = groups.map { $0.url + $0.otherURLs }.each.joined(separator: "  ")
        return row("host", "\(reported.key.host)  x\(reported.loads)  \(urls)")
            + groups.compactMap(\.why).each.map { row("", $0) }.joined()
    }

    /// The advice for all hosts, without duplicates. Sentences that differ only in the host become one.
    private var advice: [Advice] {
        cause.groups.flatMap { group in
            let advice = group.first.remedy?.advice ?? []
            guard cause.hosts.count > 1, group.host.contains(".") else { return advice }
            return advice.map { one in one.with { $0.replacing(group.host, with: "each host") } }
        }.each
    }

    /// The other findings. Those about the client are about most of its loads, so each is explained once in a report.
    private func others(said: inout Set<String>) -> String {
        var rules: [String] = []
        var remarks: [String] = []
        for finding in cause.groups.flatMap({ $0.first.findings.dropFirst() }) {
            if finding.rule.category != .client {
                rules.append(finding.rule.rawValue)
            } else if said.insert(finding.rule.rawValue).inserted {
                remarks.append("\(finding.rule.rawValue): \(finding.observed)")
            }
        }
        return ((rules.isEmpty ? [] : [rules.each.joined(separator: ", ")]) + remarks).map { row("also", $0) }.joined()
    }

    private func fixes(said: inout Set<String>) -> String {
        var text = ""
        for advice in advice {
            let sentence = advice.sentence
            guard !advice.isForServer else {
                text += row("fix", sentence)
                continue
            }
            text += row("key", said.insert(sentence).inserted ? sentence : "No Info.plist key fixes this.")
        }
        for fix in cause.groups.compactMap({ $0.first.remedy?.exception }).each {
            text += row("or", "in Info.plist: " + fix.sentence)
            let entry = context.entry(fix)
            if cause.hosts.count <= Self.hostsWithEntries, said.insert(entry.joined()).inserted {
                for line in entry { text += row("", line) }
            }
        }
        return text
    }

    private func row(_ label: String, _ value: String?) -> String {
        guard let value else { return "" }
        return "    " + colours.quiet(label.padded(to: Self.labelColumns)) + value.printable + "\n"
    }

    /// A coloured rule name is printable already, and must not be escaped.
    private func printable(_ text: String) -> String { colours.isColoured ? text : text.printable }

    private static func negotiated(_ facts: HandshakeFacts) -> String {
        ["TLS " + facts.version.name, facts.suite.name, facts.group, facts.alpn].compactMap(\.self).joined(
            separator: ", ")
    }

    private static func client(_ load: LoadRecord) -> String {
        let client = load.client
        let facts = [load.clientDescription, client.os, client.userAgent].compactMap(\.self).joined(separator: ", ")
        return client.label.map { "\($0) (\(facts))" } ?? facts
    }

    private static let labelColumns = 7
    /// `atsgate suggest` writes the entries of more hosts.
    private static let hostsWithEntries = 3
}

extension ReportRow {
    /// The finding, and the key that decided.
    fileprivate var why: String? {
        let parts = [observed.map { $0 + doubt }, key.deciding.map { "(\($0))" }].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }
}

/// Describes a chain as served, leaf first, and marks where it is broken.
enum ChainWords {
    /// For example `“a.test” > “Example CA 1” > “Example Root” (trusted)`; nil if there is no certificate.
    static func words(_ facts: HandshakeFacts) -> String? {
        guard let last = facts.served.last else { return nil }
        var links: [String] = []
        var issuer: String?
        for certificate in facts.served {
            if let issuer, issuer != certificate.subject { links.append(gap(issuer)) }
            links.append(name(certificate.subject))
            issuer = certificate.issuer
        }
        let isRoot = last.issuer == last.subject
        switch facts.anchor {
        case .system, .user:
            links.append(isRoot ? links.removeLast() + " (trusted)" : name(last.issuer) + " (trusted)")
        case .unknownRoot:
            links.append(isRoot ? links.removeLast() + " (not trusted)" : name(last.issuer) + " (not trusted)")
        case .selfSignedLeaf: links.append(links.removeLast() + " (self-signed)")
        case .incomplete: if !isRoot { links.append(gap(last.issuer)) }
        case .broken: links.append("[a signature does not match]")
        }
        return links.joined(separator: " > ")
    }

    private static func gap(_ issuer: String) -> String { "[missing: \(name(issuer))]" }

    /// - Parameter subject: in the notation of RFC 2253; shortened to its common name if it has one.
    private static func name(_ subject: String) -> String {
        "“\(DistinguishedName(subject).commonName ?? subject)”"
    }
}
