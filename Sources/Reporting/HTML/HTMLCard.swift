import ATSPolicy
import Diagnosis
import Records
import Text

/// What broke by one rule, at one host or at many in the same way: the handshake as a picture, what a device says, what
/// would help.
struct HTMLCard {
    /// Never empty; the first is the one that is shown in full.
    let cases: [ReportCase]
    let number: Int

    /// Cases in cards: hosts that one rule stopped in the same way share one, where they are more than a few.
    static func cards(of cases: [ReportCase]) -> [HTMLCard] {
        var causes: [(key: Cause, cases: [ReportCase])] = []
        var places: [Cause: Int] = [:]
        for reported in cases {
            let cause = Cause(reported)
            if let place = places[cause] {
                causes[place].cases.append(reported)
            } else {
                places[cause] = causes.count
                causes.append((cause, [reported]))
            }
        }
        let cards: [[ReportCase]] = causes.flatMap { cause in
            cause.cases.count > mostAlone ? [cause.cases] : cause.cases.map { [$0] }
        }
        return cards.enumerated().map { HTMLCard(cases: $1, number: $0 + 1) }
    }

    /// What hosts have in common that share a card.
    private struct Cause: Hashable {
        let rule: String?
        let verdict: Verdict
        let codes: String?

        init(_ reported: ReportCase) {
            rule = reported.key.rule
            verdict = reported.verdict
            codes = reported.groups.first?.key.codes
        }
    }

    var html: String {
        guard let reported = cases.first, let group = reported.groups.first else { return "" }
        let load = group.first
        let log = load.apple?.log ?? []
        let server = load.remedy?.server ?? []
        return HTMLTemplate.card.text([
            "anchor": "case-\(number)", "class": reported.verdict.rawValue, "verdict": reported.verdict.words,
            "host": cases.count > 1 ? "\(cases.count) hosts" : reported.key.host.shown,
            "title": (load.findings.first?.title ?? "").shown,
            "rule": reported.key.rule ?? "-", "loads": Self.words(loads: cases.reduce(0) { $0 + $1.loads }),
            "hasHosts": cases.count > 1, "hosts": hosts, "example": reported.key.host.shown,
            "moreHosts": moreHosts ?? false,
            "url": group.url.clipped(to: 300), "others": group.otherURLs,
            "picture": picture(of: group).svg, "facts": facts(of: group),
            "hasChain": !(load.origin?.chain ?? []).isEmpty, "chain": chain(of: load),
            "hasServerFix": !server.isEmpty, "serverFix": server.map(\.shown).joined(separator: "\n"),
            "hasPlistFix": load.remedy?.exception != nil, "plistFix": entries,
            "hasLog": !log.isEmpty, "log": log.map(\.shown).joined(separator: "\n"),
        ])
    }

    private var hosts: [[String: Any]] {
        cases.prefix(mostHosts).map { ["host": $0.key.host.shown, "loads": Self.words(loads: $0.loads)] }
    }

    private var moreHosts: String? {
        cases.count > mostHosts ? "\(cases.count - mostHosts) more hosts are not shown here." : nil
    }

    /// The entries of all hosts, each once.
    private var entries: String {
        var entries: [String] = []
        for reported in cases.prefix(mostHosts) {
            guard let exception = reported.groups.first?.first.remedy?.exception else { continue }
            let entry = String(PropertyListText.entry(exception).prefix(4_000))
            if !entries.contains(entry) { entries.append(entry) }
        }
        return entries.joined(separator: "\n")
    }

    private static func words(loads: Int) -> String { "\(loads) \(loads == 1 ? "load" : "loads")" }

    private func picture(of group: LoadGroup) -> HandshakePicture {
        HandshakePicture(group.first, verdict: group.key.verdict, handshake: group.handshake)
    }

    private func facts(of group: LoadGroup) -> [[String: Any]] {
        let load = group.first
        let finding = load.findings.first
        let apple = load.apple
        let rows: [(String, String?)] = [
            ("No device can make it either", group.deviceFailure),
            ("A device reports", apple.map { "\($0.codes) \($0.message)" }),
            (
                "Its constants",
                apple.map { [$0.constant, $0.streamErrorConstant].compactMap(\.self).joined(separator: ", ") }
            ),
            ("The app behind the gate saw", group.shown),
            (
                "Asked again, with everything",
                group.handshake?.facts != nil && group.handshake?.failure != nil
                    ? "The origin turned down what this system offers; a second handshake of the gate offered everything, "
                        + "only to learn what the origin supports. The app gets nothing of it." : nil
            ),
            ("Seen", finding.map { $0.observed + group.doubt }), ("Expected", finding?.expected),
            ("Decided by", group.key.deciding), ("Also broken", group.alsoRules.joined(separator: ", ")),
            ("Asked by", asker(load)), ("Redirected from", load.load.redirectedFrom),
        ]
        return rows.compactMap { name, value in
            guard let value, !value.isEmpty else { return nil }
            return ["name": name, "value": value.shown]
        }
    }

    private func asker(_ load: DecodedRecord) -> String {
        [load.client.label, load.asker, load.policy.os].compactMap(\.self).joined(separator: ", ")
    }

    private func chain(of load: DecodedRecord) -> [[String: Any]] {
        (load.origin?.chain ?? []).prefix(longestChain).map { certificate in
            [
                "subject": certificate.subject.clipped(to: 300), "issuer": certificate.issuer.clipped(to: 300),
                "key": "\(certificate.keyType.uppercased()) \(certificate.keyBits)",
                "signature": certificate.signature.clipped(to: 100),
                "dates": "\(certificate.notBefore.prefix(10)) to \(certificate.notAfter.prefix(10))",
            ]
        }
    }

}

private let longestChain = 10
/// Hosts of one cause that have cards of their own.
private let mostAlone = 3
/// Hosts that a card names.
private let mostHosts = 200
