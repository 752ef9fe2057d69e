import ArgumentParser
import Capture
import ProxyServer

/// Whether a command is given a network of its own.
struct CaptureOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Catch what ignores proxy variables, too; on Linux.",
            discussion: """
                The command gets a network of its own, without root, in which every connection leads to the gate: \
                Go, Java, Node, Dart and static programs go through it as well. See atsgate explain capture.
                """))
    var capture = false

    @Option(
        help: ArgumentHelp(
            "Ports besides 80 and 443 that --capture listens on where the system has no nftables.",
            discussion: "With nftables, which nearly every system has, connections to every port are caught.",
            valueName: "port,..."))
    var capturePorts: String?

    func validate() throws {
        _ = try ports()
        guard capturePorts == nil || capture else { throw ValidationError("--capture-ports needs --capture") }
    }

    /// The network, where it is asked for.
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
                throw ValidationError("--capture-ports: \"\(word)\" is no port: say 1 to 65535, as in 8080,8443")
            }
            return port
        }
    }
}
