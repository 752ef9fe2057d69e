import ProxyServer
import TLSEngine
import Text

/// What the demo says while it stays.
struct DemoWords {
    let gate: OpenGate
    let page: LivePage?

    /// Several lines: where the gate is, and what to try with it.
    var next: String {
        let authority = (gate.gate.authority.certificatePath ?? "").shellWord
        let curl = "curl -x \(gate.proxyURL)"
        var rows: [(String, String)] = []
        if let page { rows.append(("see them all", page.url)) }
        rows += [
            ("a refused load", "\(curl) http://cleartext.lab.test/"),
            ("a refused https load", "\(curl) --cacert \(authority) https://rsa-kx.lab.test/"),
            ("one that passes", "\(curl) --cacert \(authority) https://good.lab.test/"),
            ("a code in words", "atsgate explain \"-1200 [3:-9802]\""),
            ("your own app", "atsgate proxy --policy MyApp.app"),
        ]
        let lines = rows.map { "  " + $0.0.padded(to: Self.labelColumns) + $0.1 }
        return (["", "The gate, its origins and its page stay until you press Control-C. Try:"] + lines)
            .joined(separator: "\n")
    }

    private static let labelColumns = 22
}
