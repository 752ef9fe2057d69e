import ATSPolicy
import Records
import Text

/// The comparison in reports: the number of agreements, and every difference.
extension DeviceAgreement {
    /// The section of a text report; empty if nothing was witnessed.
    func text(colours: TerminalColours) -> String {
        guard !isEmpty else { return "" }
        var text = "\n" + colours.strong("AGREEMENT") + "  \(scope)\n"
        text += countTable.text(margin: "  ")
        let differences = differences
        if !differences.isEmpty {
            let shown = differences.prefix(Self.mostLines).map(\.shownCells)
            text += "\n" + TextTable(Difference.heading, Array(shown)).text(margin: "  ")
            if differences.count > shown.count {
                text += "  and \(differences.count - shown.count) more: see --format json\n"
            }
        }
        return text + (uncountedWords.map { "  \($0)\n" } ?? "")
    }

    /// The section of a Markdown report; empty if nothing was witnessed.
    ///
    /// - Parameter bytes: the size limit of its rows; the rest are only counted.
    func markdown(bytes: Int) -> String {
        guard !isEmpty else { return "" }
        var text = "\n**Gate and devices**: \(scope)\n\n\(countTable.markdown)"
        let table = TextTable(Difference.heading, differences.map(\.shownCells))
        var rows = table.markdownRows[...]
        if !rows.isEmpty {
            text += "\n" + table.markdownHead
            var left = bytes
            while let row = rows.first, row.utf8.count <= left {
                left -= row.utf8.count
                text += rows.removeFirst()
            }
            if !rows.isEmpty { text += "\n\(rows.count) more are not listed here.\n" }
        }
        return text + (uncountedWords.map { "\n\($0)\n" } ?? "")
    }

    /// docs/report.md#json.
    var json: JSONValue {
        let counts = counts
        let reasons = reasons.map { reason in
            JSONValue.object([("why", .string(reason.why)), ("origins", .number(reason.origins))])
        }
        return .object([
            ("origins", .number(origins)), ("devices", .number(devices)),
            ("connections", .number(connections)), ("uncounted", .number(uncounted)),
            ("answers", .object(Answer.allCases.map { ($0.rawValue, .number(counts[$0] ?? 0)) })),
            ("differences", .array(differences.map(\.json))), ("cannotTell", .array(reasons)),
        ])
    }

    /// The answers that occurred, with the reasons for unknown ones.
    var answerRows: [(answer: Answer, origins: String, words: String)] {
        let counts = counts
        return Answer.allCases.compactMap { answer in
            let why = answer == .unknown ? reasonWords.map { ": \($0)" } : nil
            return counts[answer].map { (answer, String($0), (answer.rawValue + (why ?? "")).clipped(to: 400)) }
        }
    }

    private var countTable: TextTable {
        TextTable(["origins", "answer"], answerRows.map { [$0.origins, $0.words] }, numbers: [0])
    }
}

extension DeviceAgreement.Difference {
    static let heading = [
        "answer", "predicted", "outcome", "how", "confidence", "connections", "device", "origin",
    ]

    /// The cells below ``heading``, shortened for display.
    var shownCells: [String] {
        let cells = [
            answer.rawValue, prediction, did.outcome.rawValue, did.how ?? "unknown", did.confidence.rawValue, share,
        ]
        return cells.map { $0.clipped(to: 60) } + [device.clipped(to: 60), origin.clipped(to: 300)]
    }

    fileprivate var json: JSONValue {
        .object([
            ("answer", .string(answer.rawValue)), ("origin", .string(origin)),
            ("predicted", .string(predicted.rawValue)), ("rule", .text(rule)), ("device", .string(device)),
            ("outcome", .string(did.outcome.rawValue)), ("how", .text(did.how)),
            ("confidence", .string(did.confidence.rawValue)),
            ("connections", .number(connections)), ("ofConnections", .number(ofConnections)),
        ])
    }
}

extension DeviceAgreement {
    /// The values for its section of the page's template; nil if nothing was witnessed.
    var html: [String: Any]? {
        guard !isEmpty else { return nil }
        let differences = differences
        let rows = differences.prefix(HTMLReport.mostRows).map { difference -> [String: Any] in
            let cells = difference.shownCells
            return [
                "class": difference.answer.colour.rawValue, "answer": cells[0],
                "cells": Array(cells[1..<cells.count - 1]),
                "origin": cells[cells.count - 1],
            ]
        }
        let more = differences.count - rows.count
        let shown = answerRows.map { answer -> [String: Any] in
            ["class": answer.answer.colour.rawValue, "count": answer.origins, "words": answer.words]
        }
        let told: [Any] = [
            more > 0 ? "\(more) more differences are not shown here." : nil, uncountedWords,
        ].compactMap(\.self)
        return [
            "scope": scope, "counts": shown, "hasRows": !rows.isEmpty,
            "heading": Difference.heading.dropFirst().dropLast().map(\.capitalizedFirst), "rows": rows,
            "told": told,
        ]
    }
}

extension DeviceAgreement.Answer {
    /// Red for a gate that misses a problem; yellow for one that reports a problem that does not exist.
    fileprivate var colour: Verdict {
        switch self {
        case .agree: .allowed
        case .stricter: .wouldBlock
        case .laxer: .blocked
        case .unknown: .outside
        }
    }
}
