import ATSPolicy
import Onboarding
import ProxyCore
import ProxyServer
import Records
import TLSEngine
import Text

/// The text for the start of a gate: its addresses, what it enforces, its CA, and a command to try.
struct StartNotice {
    let open: OpenGate
    let settings: GateSettings
    var page: LivePage?
    var metrics: MetricsListener?
    let remarks: [String]
    /// True for a terminal that shows colours.
    var showsCode = false

    /// Several lines, without the last line end.
    var text: String {
        let gate = open.gate
        var rows = gate.addresses.map { address in
            ("listening", address.url + Self.remarks(on: address))
        }
        let phones = gate.addresses.flatMap(\.phones)
        rows += phones.map { ("phone", $0) }
        if let page { rows.append(("page", page.url)) }
        if let url = metrics?.url { rows.append(("metrics", url)) }
        rows.append(("policy", policy))
        if let parent = settings.parent { rows.append(("parent", "\(parent)")) }
        rows.append(("CA", gate.authority.certificatePath ?? "-"))
        rows.append(("SHA-256", gate.authority.spelledFingerprint))
        let records = open.records.shared?.words ?? open.records.storePath ?? "no store"
        rows.append(("records", "\(records), recording \(open.recording)"))
        let authority = (gate.authority.certificatePath ?? "").shellWord
        let believing = settings.isWitness ? "" : " --cacert \(authority)"
        if open.proxyURL.isEmpty {
            rows.append(("proxy", "none, and no page for devices; add --listen 127.0.0.1:9802"))
        } else {
            rows.append(("try", "curl -x \(open.proxyURL)\(believing) https://example.com/"))
        }
        if settings.isWitness, let page = phones.first ?? ownPage {
            rows.append(("witness", "open \(page)witness on a device to test redirected hosts"))
        }
        let lines = rows.map { "  " + $0.padded(to: Self.labelColumns) + $1.printable }
        let text =
            (["atsgate \(toolVersion)"] + lines + [page?.remark].compactMap(\.self) + remarks.map(\.printable)
            + exposure).joined(separator: "\n")
        return text + code(of: phones.first)
    }

    /// A code for the camera of a phone, if the terminal can show it.
    private func code(of address: String?) -> String {
        guard showsCode, let address, let code = QRCode(address) else { return "" }
        return "\n\n" + code.terminalText + "Point a phone's camera here: \(address)"
    }

    /// The gate's own page, for this machine.
    private var ownPage: String? {
        open.gate.addresses.first { $0.entrance == .proxy }.map { "http://\($0.reachable)/" }
    }

    private var policy: String {
        let path = open.policyPath.map { $0 == "-" ? "from standard input" : $0 } ?? "secure defaults"
        let system = settings.profile.map { "\($0.title) (\($0.name))" } ?? "each client's own release"
        return "\(path), as \(system), \(settings.rules.mode.rawValue)"
    }

    /// The listener's label, and its settings that differ from those of the gate.
    private static func remarks(on address: ListenAddress) -> String {
        let system: String? =
            switch address.law.system {
            case .named(let profile): "as \(profile.title)"
            case .guessed: "as each client's own release"
            case nil: nil
            }
        let remarks = [
            address.label, address.assumedLoader.map { "assume \($0.rawValue)" },
            address.outside.map { "outside \($0.rawValue)" }, system,
            address.law.policyPath.map { "policy \($0)" },
        ].compactMap { $0 }
        return remarks.isEmpty ? "" : " (\(remarks.joined(separator: ", ")))"
    }

    private var exposure: [String] {
        open.gate.addresses.filter { !$0.isLoopback }.map {
            "warning: other machines can reach \($0.text), and anyone who reaches it can use it"
        } + [page?.exposure, metrics?.exposure].compactMap(\.self)
    }

    private static let labelColumns = 11
}
