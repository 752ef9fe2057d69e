public import ATSPolicy
import Text

/// A rule's requirement, the releases that apply it, the errors that a device reports and the fix: `explain
/// ats.forward-secrecy`.
public struct RuleExplanation: Sendable {
    public let rule: RuleID
    public let title: String
    /// The requirement, and one violation; nil if the rule is not about handshakes.
    public let specimen: RuleSpecimen?
    /// Releases that apply the rule.
    public let inForce: String?
    public let source: String?
    /// Errors that a device reports, by release.
    public let reports: [String]

    public init(_ rule: RuleID) {
        self.rule = rule
        let entry = RuleBook.standard.rule(rule)
        title = entry?.title ?? Self.incidents[rule] ?? rule.rawValue
        specimen = entry?.specimen ?? (rule == .cleartextLoad ? Self.cleartext : nil)
        source = entry.map { "\($0.source) (\($0.confidence.rawValue))" }
        let places = NumberMeaning.releaseProfiles.indices.filter { place in
            let profile = NumberMeaning.releaseProfiles[place]
            return entry?.isInForce(profile) != false && Self.isKnown(rule, on: profile)
        }
        inForce = entry.map { _ in NumberMeaning.words(places) }
        reports = Self.reports(of: rule, on: places)
    }

    /// A rule that a key turns on applies to the releases that read the key.
    private static func isKnown(_ rule: RuleID, on profile: OSProfile) -> Bool {
        switch rule {
        case .niap: profile.keys.contains(.niap)
        case .pinnedIdentity: profile.keys.contains(.pinnedDomains)
        default: true
        }
    }

    private static let cleartext: RuleSpecimen? = {
        let judge = Judge(declaration: .secureDefaults, profile: .newest)
        let target = LoadTarget(scheme: .http, host: "api.example.com", port: 80)
        guard case .denial(let denial) = judge.rule(on: target, loader: .app) else { return nil }
        return RuleSpecimen(denial, on: .newest)
    }()

    private static func reports(of rule: RuleID, on places: [Int]) -> [String] {
        let known = KnownFailure.all.filter { $0.rules.contains(rule) }
        var rows: [(codes: String, what: String, places: [Int])] = []
        for failure in known {
            for place in places {
                let codes = failure.error(on: NumberMeaning.releaseProfiles[place]).codes
                // Each alert has its own number: too many for one rule.
                guard failure.detail == nil else { continue }
                if let index = rows.firstIndex(where: { $0.codes == codes && $0.what == failure.what }) {
                    rows[index].places.append(place)
                } else {
                    rows.append((codes, failure.what, [place]))
                }
            }
        }
        return rows.map { "\($0.codes) on \(NumberMeaning.words($0.places)), for \($0.what)" }
    }

    /// Titles of rules that are not about handshakes.
    private static let incidents: [RuleID: String] = [
        .cleartextLoad: "An http load that ATS blocks",
        .tlsAlert: "The server aborted the TLS handshake, and no rule explains why",
        .tlsClosed: "The server closed the connection during the TLS handshake",
        .tlsNotTLS: "The server's answer is not TLS", .tlsTimeout: "The server never answered the TLS handshake",
        .tlsLargeHello: "The server fails the large hello of 26, which has the group X25519MLKEM768, and accepts a "
            + "smaller one",
        .netName: "The host has no address", .netRefused: "The port refused the connection",
        .netTimeout: "The server did not accept the connection, or did not answer, in time",
        .netReset: "The connection was lost before the answer was complete",
        .netParent: "The parent proxy did not connect to the server",
        .netDecrypted: "A proxy after the gate decrypts the connection, so the server was not judged",
        .appTrustOverride: "The app's own code accepts a certificate that the system rejects (--app-overrides-trust)",
        .appPin: "The app's own code rejects a certificate that it does not pin (--app-pin)",
        .httpMalformed: "A message is not valid HTTP",
        .clientGone: "The client disconnected or stopped before its load ended",
        .clientRejectedLeaf: "The client rejected the gate's certificate: its CA is not installed, or the app pins",
        .clientPins: "The client pins this host",
        .clientOtherTraffic: "A tunnel carries neither TLS nor HTTP",
        .clientServerName: "The client names another host than the one its tunnel was opened to",
        .clientAddress: "The name that the client requests is not known to resolve to the address of its tunnel",
        .clientOwnHandshake: "The client's own handshake had another result than the gate's",
        .clientUnseen: "Parts of the client's own handshake were encrypted",
        .clientOutside: "ATS does not apply to the client on a device, so its loads are not judged",
        .clientForeignHello: "The User-Agent names a loader of Apple's systems, and the hello is another program's",
        .clientPrivateRelay: "The client requests iCloud Private Relay, through which loads would bypass the gate",
        .gateStopped: "The gate was stopped during the load",
        .gateDescriptors: "The gate reached its limit of open files (ulimit -n)",
        .gateMemory: "Clients that do not read filled the gate's memory for unread bytes",
        .gateLoop: "The load is addressed to the gate itself",
        .gateForbidden: "A client on another machine requests an address for local clients only (--allow-lan-to-host)",
        .gateChainSize: "The server's certificate chain is longer than the gate reads",
        .gateFault: "The gate itself failed",
    ]
}

extension RuleExplanation {
    /// Several lines of text for the user.
    public var words: String {
        var lines = ["\(rule.rawValue)  \(title)"]
        func row(_ label: String, _ text: String?) {
            guard let text else { return }
            lines.append("  " + label + String(repeating: " ", count: max(1, 12 - label.count)) + text.printable)
        }
        row("requires", specimen?.finding.expected)
        row("violated", specimen.map { "for example: " + $0.finding.observed })
        row("applies to", inForce)
        for report in reports { row("device", report) }
        for sentence in specimen?.remedy?.sentences ?? [] { row("fix", sentence) }
        row("or", specimen?.remedy?.exception.map { "in Info.plist: " + $0.sentence })
        row("source", source.map { References.shown($0) })
        row("more", References.shown("docs/verdicts.md#\(rule.rawValue.filter { $0 != "." })"))
        row("help", QuestionPage.topic(for: rule).map { "atsgate explain \($0)" })
        return lines.joined(separator: "\n")
    }

    /// One JSON object on one line: `rule title asks broken inForce reports[] server[]
    /// changes[{server lines[] condition source}] exception source`.
    public var json: String {
        JSONValue.object([
            ("rule", .string(rule.rawValue)), ("title", .string(title)), ("asks", .text(specimen?.finding.expected)),
            ("broken", .text(specimen?.finding.observed)), ("inForce", .text(inForce)), ("reports", .texts(reports)),
            ("server", .texts(specimen?.remedy?.sentences ?? [])),
            ("changes", .array(ServerChange.all(for: [rule]).map(\.json))),
            ("exception", .text(specimen?.remedy?.exception?.sentence)), ("source", .text(source)),
        ]).text
    }
}
