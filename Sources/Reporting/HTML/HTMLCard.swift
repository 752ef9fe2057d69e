import ATSPolicy
import Diagnosis
import Records
import Text

/// A cause with all its hosts: the fixes, the device's error, and a picture of one handshake.
struct HTMLCard {
    let cause: ReportCause
    let number: Int
    let context: ReportContext

    private var cases: [ReportCase] { cause.cases }

    /// Its id on the page.
    var anchor: String { "case-\(number)" }

    /// The values of its row in the table of problems; nil for a cause without loads.
    var row: [String: Any]? {
        guard let first = cause.groups.first else { return nil }
        let hosts = cause.hosts
        let more = hosts.count - mostNamed
        let causes = cause.groups.compactMap(\.cause).each
        let fixes = cause.groups.compactMap { $0.serverFix ?? $0.exceptionFix }.each
        return [
            "anchor": anchor, "class": first.key.verdict.rawValue, "verdict": first.key.verdict.words,
            "hosts": (hosts.prefix(mostNamed).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")).shown,
            "why": (causes.count == 1 ? causes[0] : first.first.findings.first?.title ?? "").clipped(to: 200),
            "rule": first.key.rule ?? "-", "fix": (fixes.first ?? "").clipped(to: 200),
            "loads": String(cause.loads),
        ]
    }

    var html: String {
        guard let reported = cases.first, let group = reported.groups.first else { return "" }
        let load = group.first
        let log = load.diagnosis?.apple?.log ?? []
        let advice = load.diagnosis?.remedy?.advice ?? []
        let server = advice.filter(\.isForServer).map(\.sentence)
        let noKey = advice.first { !$0.isForServer }?.sentence ?? "No Info.plist key fixes this."
        return HTMLTemplate.card.text([
            "anchor": anchor, "class": reported.verdict.rawValue, "verdict": reported.verdict.words,
            "host": cases.count > 1 ? "\(cases.count) hosts" : reported.key.host.shown,
            "title": (group.cause ?? "").shown,
            "rule": reported.key.rule ?? "-", "loads": Self.words(loads: cases.reduce(0) { $0 + $1.loads }),
            "hasHosts": cases.count > 1, "hosts": hosts, "example": reported.key.host.shown,
            "moreHosts": moreHosts ?? false,
            "url": group.url.clipped(to: 300), "others": group.otherURLs,
            "picture": picture(of: group).svg, "facts": facts(of: group),
            "hasChain": !(load.origin?.facts?.served ?? []).isEmpty, "chain": chain(of: load),
            "hasServerFix": !server.isEmpty, "serverFix": server.map(\.shown).joined(separator: "\n"),
            "hasPlistFix": load.diagnosis?.remedy?.exception != nil, "plistFix": entries,
            "plistPlace": context.showsCommands
                ? "In the dictionary, by these commands:" : "In the dictionary, under NSExceptionDomains:",
            "noKey": noKey.shown,
            "hasLog": !log.isEmpty, "log": log.map(\.shown).joined(separator: "\n"),
        ])
    }

    private var hosts: [[String: Any]] {
        cases.prefix(mostHosts).map { ["host": $0.key.host.shown, "loads": Self.words(loads: $0.loads)] }
    }

    private var moreHosts: String? {
        cases.count > mostHosts ? "\(cases.count - mostHosts) more hosts are not shown here." : nil
    }

    /// The entries for all hosts, without duplicates.
    private var entries: String {
        var entries: [String] = []
        for reported in cases.prefix(mostHosts) {
            guard let exception = reported.groups.first?.first.diagnosis?.remedy?.exception else { continue }
            let text =
                context.showsCommands
                ? context.entry(exception).joined(separator: "\n") : PropertyListText.entry(exception)
            let entry = String(text.prefix(4_000))
            if !entries.contains(entry) { entries.append(entry) }
        }
        return entries.joined(separator: "\n")
    }

    private static func words(loads: Int) -> String { "\(loads) \(loads == 1 ? "load" : "loads")" }

    private func picture(of group: ReportRow) -> HandshakePicture {
        HandshakePicture(group.first)
    }

    private func facts(of group: ReportRow) -> [[String: Any]] {
        let load = group.first
        let finding = load.diagnosis?.findings.first
        let apple = load.diagnosis?.apple
        let rows: [(String, String?)] = [
            ("On a device, too", group.deviceFailure),
            ("A device reports", apple.map { "\($0.codes) \($0.message)" }),
            (
                "Constants",
                apple.map { [$0.constant, $0.streamErrorConstant].compactMap(\.self).joined(separator: ", ") }
            ),
            ("The app saw", group.shown),
            (
                "Second handshake",
                group.handshake?.facts != nil && group.handshake?.failure != nil
                    ? "The server rejected what this release offers. The gate then offered everything in a second "
                        + "handshake, only to learn what the server supports; the app is not affected." : nil
            ),
            ("Expected", finding?.expected),
            ("Decided by", group.key.deciding), ("Also violated", group.alsoRules.joined(separator: ", ")),
            ("Client", clientDescription(load)), ("Redirected from", load.load.redirectedFrom),
        ]
        return rows.compactMap { name, value in
            guard let value, !value.isEmpty else { return nil }
            return ["name": name, "value": value.shown]
        }
    }

    private func clientDescription(_ load: LoadRecord) -> String {
        [load.client.label, load.clientDescription, load.policy.os].compactMap(\.self).joined(separator: ", ")
    }

    private func chain(of load: LoadRecord) -> [[String: Any]] {
        (load.origin?.facts?.served ?? []).prefix(longestChain).map { certificate in
            [
                "subject": certificate.subject.clipped(to: 300), "issuer": certificate.issuer.clipped(to: 300),
                "key": "\(certificate.keyType.rawValue.uppercased()) \(certificate.keyBits)",
                "signature": certificate.signature.clipped(to: 100),
                "dates":
                    "\(CivilDate(secondsSince1970: certificate.notBefore)) to \(CivilDate(secondsSince1970: certificate.notAfter))",
            ]
        }
    }

}

private let longestChain = 10
/// The most hosts that a row of the table names.
private let mostNamed = 3
/// The most hosts that a card names.
private let mostHosts = 200
