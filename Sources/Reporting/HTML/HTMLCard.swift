import ATSPolicy
import Diagnosis
import Records
import Text

/// One host and rule in a page: the handshake as a picture, what a device says, what would help.
struct HTMLCard {
    let reported: ReportCase
    let number: Int

    var html: String {
        guard let group = reported.groups.first else { return "" }
        let load = group.first
        let log = load.apple?.log ?? []
        let server = load.remedy?.server ?? []
        return HTMLTemplate.card.text([
            "anchor": "case-\(number)", "class": reported.verdict.rawValue, "verdict": reported.verdict.words,
            "host": reported.key.host.shown, "title": (load.findings.first?.title ?? "").shown,
            "rule": reported.key.rule ?? "-", "loads": "\(reported.loads) \(reported.loads == 1 ? "load" : "loads")",
            "url": group.url.clipped(to: 300), "others": group.otherURLs,
            "picture": picture(of: group).svg, "facts": facts(of: group),
            "hasChain": !(load.origin?.chain ?? []).isEmpty, "chain": chain(of: load),
            "hasServerFix": !server.isEmpty, "serverFix": server.map(\.shown).joined(separator: "\n"),
            "hasPlistFix": load.remedy?.exception != nil,
            "plistFix": String(
                (load.remedy?.exception.map(PropertyListText.entry) ?? "").prefix(4_000)),
            "hasLog": !log.isEmpty, "log": log.map(\.shown).joined(separator: "\n"),
        ])
    }

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
            ("Seen", finding.map { $0.observed + group.doubt }), ("Expected", finding?.expected),
            ("Decided by", group.key.deciding), ("Also broken", group.alsoRules.joined(separator: ", ")),
            ("Asked by", asker(load)), ("Redirected from", load.load.redirectedFrom),
        ]
        return rows.compactMap { name, value in
            guard let value, !value.isEmpty else { return nil }
            return ["name": name, "value": value.shown]
        }
    }

    private func asker(_ load: ReportedLoad) -> String {
        [load.client.label, load.client.loader, load.policy.os].compactMap(\.self).joined(separator: ", ")
    }

    private func chain(of load: ReportedLoad) -> [[String: Any]] {
        (load.origin?.chain ?? []).prefix(longestChain).map { certificate in
            [
                "subject": certificate.subject.clipped(to: 300), "issuer": certificate.issuer.clipped(to: 300),
                "key": "\(certificate.keyType.uppercased()) \(certificate.keyBits)",
                "signature": certificate.signature.clipped(to: 100),
                "dates": "\(certificate.notBefore.prefix(10)) to \(certificate.notAfter.prefix(10))",
            ]
        }
    }

    private let longestChain = 10

    init(_ reported: ReportCase, number: Int) {
        self.reported = reported
        self.number = number
    }
}
