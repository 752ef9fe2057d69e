import ATSPolicy
import Diagnosis
import Records
import Text

/// One self-contained HTML file: readable without scripts, and without any access to the network.
enum HTMLReport {
    static func render(_ report: ReportModel, _ context: ReportContext) -> String {
        var page = Page(report: report, context: context)
        return HTMLTemplate.report.text(page.values)
    }

    /// Hosts beyond this number are only in the table.
    static let mostCards = 100
    static let mostHosts = 1_000
    static let mostRows = 200
}

/// The values of the page's template.
private struct Page {
    let report: ReportModel
    let context: ReportContext
    private var sections: [[String: Any]] = []

    init(report: ReportModel, context: ReportContext) {
        self.report = report
        self.context = context
    }

    var values: [String: Any] {
        mutating get {
            let verdict = ReportVerdict(report, context.rules)
            var values: [String: Any] = [
                "verdict": verdict.sentence.shown, "verdictClass": verdict.worst.rawValue,
                "style": HTMLTemplate.style, "script": HTMLTemplate.script, "scriptDigest": HTMLTemplate.scriptDigest,
                "facts": facts, "version": context.toolVersion, "hints": hints,
            ]
            let agreement = report.agreement.html
            values["agreement"] = section("agreement", "Gate and devices", agreement)
            values["hellos"] = section("hellos", "Hellos", report.hellos.html)
            values.merge(problems) { $1 }
            values["known"] = section("known", "Known", known)
            values["hosts"] = section("hosts", "Hosts", hosts)
            let declaration = context.declaration
            let parts = declaration.map {
                DictionaryUse($0, loads: report.loads, switches: context.switches).parts
            }
            values["dictionary"] = section(
                "dictionary", "The dictionary", declaration.map { dictionary($0, parts ?? []) })
            values["matrix"] = section("matrix", "Other releases", declaration.flatMap(matrix))
            values["review"] = section("review", "App Review", declaration.flatMap { review($0, parts ?? []) })
            values["traffic"] = section("traffic", "Traffic", traffic)
            sections.append(["anchor": "recording", "title": "Recording"])
            values["sections"] = sections
            return values
        }
    }

    /// Adds the section to the navigation. Returns false for an empty one, which the template omits.
    private mutating func section(_ anchor: String, _ title: String, _ values: [String: Any]?) -> Any {
        guard let values else { return false }
        sections.append(["anchor": anchor, "title": title])
        return values
    }

    private var facts: [[String: Any]] {
        let header = report.header
        let devices = report.devices.devices.prefix(10).map { "\($0.name): \($0.loads)" }.joined(separator: "; ")
        let entrances = report.shownEntrances.joined(separator: "; ")
        let rows = [
            ("Recording", header.recordings.text), ("Dictionary", header.policies.text),
            ("Release", header.systems.text), ("Devices", devices), ("Entrances", entrances),
            ("Time", header.period ?? ""), ("Loads", String(header.loads)),
        ]
        return rows.filter { !$0.1.isEmpty }.map { ["name": $0.0, "value": $0.1.shown] }
    }

    private var traffic: [String: Any]? {
        guard let picture = TrafficPicture(report) else { return nil }
        let legend = ReportModel.verdicts.compactMap { verdict in
            report.header.counts[verdict].map { ["class": verdict.rawValue, "words": verdict.words, "loads": "\($0)"] }
        }
        return ["picture": picture.svg, "legend": legend, "more": more(picture.left, "hosts") ?? false]
    }

    /// The table of causes, and a card for each.
    private var problems: [String: Any] {
        mutating get {
            let all = ReportCause.grouped(report.cases(by: context.rules).filter(\.isReported))
            guard !all.isEmpty else { return ["problems": false, "hasCards": false] }
            let cards = all.enumerated().map { HTMLCard(cause: $1, number: $0 + 1, context: context) }
            let shown = cards.prefix(HTMLReport.mostCards)
            let left = cards.dropFirst(shown.count).reduce(0) { $0 + $1.cause.cases.count }
            return [
                "problems": section("problems", "Problems", ["rows": shown.compactMap(\.row)]), "hasCards": true,
                "cards": shown.map { ["card": $0.html] }, "moreCards": more(left, "hosts and rules") ?? false,
            ]
        }
    }

    private var known: [String: Any]? {
        let known = report.cases(by: context.rules).filter { $0.judgement == .known }
        guard !known.isEmpty, let file = context.rules.baselineFile else { return nil }
        let rows = known.prefix(HTMLReport.mostHosts).map { reported in
            ["host": reported.key.host.shown, "rule": reported.key.rule ?? "-", "loads": String(reported.loads)]
        }
        return [
            "summary": "\(known.reduce(0) { $0 + $1.loads }) known (in \(file))".shown, "rows": rows,
            "moreKnown": more(known.count - rows.count, "hosts and rules") ?? false,
        ]
    }

    private var hosts: [String: Any]? {
        let all = report.hosts
        guard !all.isEmpty else { return nil }
        let versions = Dictionary(grouping: report.groups, by: \.host)
        let rows = all.prefix(HTMLReport.mostHosts).map { host -> [String: Any] in
            let counts = ReportModel.verdicts.compactMap { verdict in
                host.counts[verdict].map { "\($0) \(verdict.words)" }
            }
            let tls = Set((versions[host.name] ?? []).compactMap(\.tlsVersion)).sorted().joined(separator: ", ")
            return [
                "host": host.name.clipped(to: 300), "class": host.verdict.rawValue, "worst": host.verdict.words,
                "loads": String(host.loads), "counts": counts.joined(separator: ", "),
                "rules": host.others.isEmpty ? false : host.others.joined(separator: ", "), "tls": tls,
            ]
        }
        return ["rows": rows, "moreHosts": more(all.count - rows.count, "hosts") ?? false]
    }

    private func dictionary(_ declaration: Declaration, _ parts: [DictionaryUse.Part]) -> [String: Any] {
        let rows = parts.map { part -> [String: Any] in
            [
                "partClass": part.isUnused ? "unused" : "", "key": part.name.shown,
                "settings": part.node.words.clipped(to: 400), "line": part.line.map(String.init) ?? "",
                "served": String(part.served), "needed": part.neededWords, "use": part.useWords.clipped(to: 400),
            ]
        }
        let source = declaration.source ?? "No dictionary: the secure defaults"
        let words =
            parts.isEmpty
            ? "\(source). It has no keys, so the secure defaults apply."
            : "\(source). The recorded loads were judged again without each key in turn."
        return ["dictionarySource": words.shown, "hasParts": !rows.isEmpty, "parts": rows]
    }

    private func matrix(_ declaration: Declaration) -> [String: Any]? {
        let matrix = SystemMatrix(declaration, switches: context.switches, loads: report.loads)
        // Informative rows first.
        let rows = matrix.rows.filter(\.isTelling) + matrix.rows.filter { !$0.isTelling }
        guard !rows.isEmpty else { return nil }
        let shown = rows.prefix(HTMLReport.mostRows).map { row -> [String: Any] in
            let cells = zip(matrix.systems, row.cells).map { system, cell in
                [
                    "class": cell.verdict.rawValue, "sign": cell.verdict.sign,
                    "why": "\(system.title): \(cell.words)".clipped(to: 200),
                ]
            }
            return ["origin": row.origin.clipped(to: 300), "cells": cells]
        }
        return [
            "systems": matrix.systems.map(\.title), "matrixRows": shown,
            "moreRows": more(rows.count - shown.count, "origins") ?? false,
        ]
    }

    /// The questions for keys that are needed, or whose use is unknown.
    private func review(_ declaration: Declaration, _ parts: [DictionaryUse.Part]) -> [String: Any]? {
        let unused = Set(parts.filter(\.isUnused).map(\.name))
        let questions = ReviewQuestion.all(about: declaration).compactMap { question -> [String: Any]? in
            let hosts = question.hosts.filter { !unused.contains($0) }
            guard question.hosts.isEmpty ? !unused.contains(question.key) : !hosts.isEmpty else { return nil }
            return [
                "key": question.key, "anchor": "review-\(question.key)", "sample": question.sample,
                "forHosts": hosts.isEmpty ? false : "For \(hosts.joined(separator: ", ").shown)",
            ]
        }
        return questions.isEmpty ? nil : ["questions": questions]
    }

    private var hints: Any {
        let lines = report.hints.lines
        return lines.isEmpty ? false : ["lines": lines]
    }

    private func more(_ count: Int, _ what: String) -> String? {
        count > 0 ? "\(count) more \(what) are not shown here." : nil
    }
}
