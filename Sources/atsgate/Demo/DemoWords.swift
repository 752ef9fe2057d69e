import ProxyServer
import TLSEngine
import Text

/// The text that the demo prints while it keeps running.
struct DemoWords {
    let gate: OpenGate
    let page: LivePage?

    /// Several lines: the running time, and commands to try.
    var next: String {
        let authority = (gate.gate.authority.certificatePath ?? "").shellWord
        let curl = "curl -x \(gate.proxyURL)"
        var rows: [(String, String)] = []
        if let page { rows.append(("see all loads", page.url)) }
        rows += [
            ("a blocked load", "\(curl) http://cleartext.lab.test/"),
            ("a blocked https load", "\(curl) --cacert \(authority) https://rsa-kx.lab.test/"),
            ("an allowed load", "\(curl) --cacert \(authority) https://good.lab.test/"),
            ("explain a code", "atsgate explain \"-1200 [3:-9802]\""),
            ("your own app", "atsgate proxy --policy MyApp.app"),
        ]
        let lines = rows.map { "  " + $0.0.padded(to: Self.labelColumns) + $0.1 }
        return (["", "The gate, its servers and its page run until you press Control-C. Try:"] + lines)
            .joined(separator: "\n")
    }

    private static let labelColumns = 22
}
