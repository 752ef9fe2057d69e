/// The network services of a Mac, from `networksetup -listnetworkserviceorder`: pairs of lines such as `(1) Wi-Fi` and
/// `(Hardware Port: Wi-Fi, Device: en0)`; an asterisk marks a service that is switched off. Source: networksetup(8) of
/// macOS.
struct NetworkServices {
    static let question = ["networksetup", "-listnetworkserviceorder"]

    private var services: [(name: String, device: String)] = []

    init(_ text: String) {
        var name: String?
        for line in text.split(separator: "\n") {
            if line.hasPrefix("(Hardware Port:") {
                let device = line.split(separator: " ").last?.dropLast() ?? ""
                if let name { services.append((name, String(device))) }
                name = nil
            } else if line.hasPrefix("("), let end = line.firstIndex(of: ")") {
                let number = line[line.index(after: line.startIndex)..<end]
                name = number == "*" ? nil : String(line[line.index(after: end)...].drop { $0 == " " })
            }
        }
    }

    var names: [String] { services.map(\.name) }

    func name(ofDevice device: String) -> String? { services.first { $0.device == device }?.name }
}
