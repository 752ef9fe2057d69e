import ArgumentParser
import Capture
import ProxyServer

/// Options that give a command its own network.
struct CaptureOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Linux: also catch programs that ignore the proxy.",
            discussion: """
                The command gets its own network, without root, in which every connection goes to the gate, also from \
                Go, Java, Node, Dart and static programs. See atsgate explain capture.
                """))
    var capture = false

    @Option(
        help: ArgumentHelp(
            "Ports in addition to 80 and 443 that --capture listens on if the system has no nftables.",
            discussion: "With nftables, which nearly every system has, connections to every port are caught.",
            valueName: "port,...", visibility: .seldom))
    var capturePorts: String?

    func validate() throws {
        _ = try ports()
        guard capturePorts == nil || capture else { throw ValidationError("--capture-ports needs --capture") }
    }

    /// Opens the network; nil without `--capture`.
    ///
    /// - Throws: ``CommandFailure`` with 64 and 69.
    func open(leadingTo settings: inout GateSettings, isListening: Bool) throws -> Captured? {
        guard capture else { return nil }
        return try Captured(ports: ports(), leadingTo: &settings, isListening: isListening)
    }

    private func ports() throws -> [UInt16] {
        let words = capturePorts?.split(separator: ",", omittingEmptySubsequences: false) ?? []
        return try words.map { word in
            guard let port = UInt16(word), port > 0 else {
                throw ValidationError("--capture-ports: \"\(word)\" is not a port: use 1 to 65535, as in 8080,8443")
            }
            return port
        }
    }
}
