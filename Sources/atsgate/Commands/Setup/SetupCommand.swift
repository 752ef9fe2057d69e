import ArgumentParser
import Foundation
import Setup
import TLSEngine

/// Routes the traffic of this Mac, its simulators, or devices of a network to the gate, and undoes that.
struct SetupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Routes traffic of this Mac or of devices to the gate.",
        discussion: """
            Every change is written to a journal before it is made: --undo reverts it, and the next start of atsgate \
            reverts an interrupted setup. uninstall reverts all of it, and removes the CA. mac and simulator need macOS, gateway and wireguard Linux.
            """,
        subcommands: [
            SetupMacCommand.self, SetupSimulatorCommand.self, SetupGatewayCommand.self, SetupWireGuardCommand.self,
            UninstallCommand.self,
        ])

    /// The options of the macOS subcommands.
    struct Options: ParsableArguments {
        @OptionGroup var changes: SetupChanges

        @Option(help: ArgumentHelp("The gate's address.", valueName: "host:port"))
        var proxy = GateAddress(host: "127.0.0.1", port: 9802)

        @Option(
            name: .customLong("service"),
            help: ArgumentHelp(
                "A network service whose proxy is set; repeatable. (default: the one with the default route)",
                valueName: "name"))
        var services: [String] = []

        @OptionGroup var authority: CAOptions

        /// - Throws: ``CommandFailure`` with 69 on other systems than macOS.
        func setup() throws(CommandFailure) -> Setup {
            guard Setup.isPossible else { throw CommandFailure.unavailable("setup mac and setup simulator need macOS") }
            return changes.setup
        }

        /// - Throws: like `SetupChanges.revert` and ``setup()``.
        func revert(_ kinds: Set<Setup.Kind>, emptiesKeychains: Bool = false) throws {
            if !changes.dryRun { _ = try setup() }
            try changes.revert(kinds, emptiesKeychains: emptiesKeychains)
        }

        var gate: Setup.Proxy { Setup.Proxy(host: proxy.host, port: proxy.port, services: services) }

        /// The CA's certificate file and fingerprint; nil if the CA has no file.
        func certificate() throws -> (path: String, sha256: String)? {
            let path = authority.directory + "/ca-cert.pem"
            // A dry run creates no CA.
            if changes.dryRun, access(path, F_OK) != 0 { return (path: path, sha256: "") }
            let authority = try authority.open()
            return authority.certificatePath.map { (path: $0, sha256: authority.fingerprint) }
        }
    }
}

struct SetupMacCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mac",
        abstract: "Makes the gate this Mac's proxy for http and https, and trusts the CA in its keychain.",
        discussion: "macOS asks for an administrator if needed. Automatic proxy configuration is turned off."
    )

    @OptionGroup var options: SetupCommand.Options

    func run() throws {
        let setup = try options.setup()
        if options.changes.undo { return try options.revert([.mac]) }
        let certificate = try options.certificate()
        let done = try setup.useProxy(options.gate, certificate: certificate)
        options.changes.printChanges(done, undo: "atsgate setup mac --undo")
    }
}

struct SetupSimulatorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulator",
        abstract: "Installs the CA in simulators, and makes the gate the proxy of this Mac, which they share.",
        discussion: """
            booted and all include clones that Xcode makes for parallel tests, and the simulators of Xcode Previews: \
            show a preview first, then run this command. --undo removes the CA from the trust stores of these \
            simulators, and of clones made since.
            """)

    @Argument(help: ArgumentHelp("booted, all, or the UDID of a simulator.", valueName: "which"))
    var which = "booted"

    @Flag(
        help: """
            With --undo: empty the whole keychain of a simulator if the CA cannot be removed alone. What apps keep \
            there is lost.
            """)
    var emptyKeychains = false

    @OptionGroup var options: SetupCommand.Options

    func validate() throws {
        guard !emptyKeychains || options.changes.undo else {
            throw ValidationError("--empty-keychains needs --undo.")
        }
    }

    func run() throws {
        let setup = try options.setup()
        if options.changes.undo {
            return try options.revert([.simulators, .mac], emptiesKeychains: emptyKeychains)
        }
        guard let certificate = try options.certificate() else { return }
        let all = try setup.useSimulators(which, certificate: certificate, proxy: options.gate)
        options.changes.printChanges(all, undo: "atsgate setup simulator --undo")
    }
}
