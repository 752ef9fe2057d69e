import Foundation

extension GateChoices {
    /// A command that starts such a gate, without addresses, for the page to add some: the gate's options of this
    /// command line. Options with secrets are left out, and with masks also those that contain hosts.
    var proxyCommand: String {
        let line = CommandWords(
            ReadingOptions.current(Array(CommandLine.arguments.dropFirst())), of: ATSGate.self)
        let left = Self.addressOptions.union(Self.secretOptions).union(masks.isEmpty ? [] : Self.hostOptions)
        let gate = DeclaredArgument.ofGate.flatMap { $0.names ?? [] }.map(\.name)
        let words = line.options.filter { gate.contains($0.name) && !left.contains($0.name) }.map(\.words)
        return (["atsgate proxy"] + words).joined(separator: " ")
    }

    private static let addressOptions: Set = [
        "listen", "allow-lan", "web", "web-url-file", "metrics", "names", "port-file",
    ]
    private static let secretOptions: Set = ["parent", "store"]
    private static let hostOptions: Set = [
        "mask", "connect-to", "passthrough", "app-pin", "app-overrides-trust", "client-cert", "no-parent",
    ]
}
