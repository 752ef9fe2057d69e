import Records

extension AgreementTable {
    /// The values for its section of the page's template; nil if nothing was witnessed.
    var html: [String: Any]? {
        guard !agreement.isEmpty else { return nil }
        let differences = agreement.differences
        let rows = differences.prefix(HTMLReport.mostRows).map { difference -> [String: Any] in
            let cells = difference.shownCells
            return [
                "class": difference.answer.colour.rawValue, "answer": cells[0],
                "cells": Array(cells[1..<cells.count - 1]),
                "origin": cells[cells.count - 1],
            ]
        }
        let more = differences.count - rows.count
        let counts = answers.map { answer -> [String: Any] in
            ["class": answer.answer.colour.rawValue, "count": answer.origins, "words": answer.words]
        }
        let told: [Any] = [
            more > 0 ? "\(more) more differences are not shown here." : nil, agreement.uncountedWords,
        ].compactMap(\.self)
        return [
            "scope": agreement.scope, "counts": counts, "hasRows": !rows.isEmpty,
            "heading": DeviceAgreement.Difference.heading.dropFirst().dropLast().map(\.capitalizedFirst), "rows": rows,
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
