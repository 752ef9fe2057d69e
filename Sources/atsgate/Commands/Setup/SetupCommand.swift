import ArgumentParser
import Setup
import TLSEngine

/// Points this Mac and its simulators at the gate, and takes it back.
struct SetupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Points this Mac and its simulators at the gate, and takes it back.",
        discussion: """
            Every change stands in a journal before it is made: --undo takes it back, and what was cut off in the middle \
            is taken back by the next start of atsgate. Needs macOS.
            """,
        subcommands: [SetupMacCommand.self, SetupSimulatorCommand.self])

    /// What both do.
    struct Options: ParsableArguments {
        @Flag(help: "Take back what was set up.")
        var undo = false

        @Option(help: ArgumentHelp("Where the gate listens.", valueName: "host:port"))
        var proxy = GateAddress(host: "127.0.0.1", port: 9802)

        @Option(
            name: .customLong("service"),
            help: ArgumentHelp(
                "A network service to set the proxy of; repeatable. (default: the one with the default route)",
                valueName: "name"))
        var services: [String] = []

        @OptionGroup var authority: CAOptions

        /// - Throws: ``CommandFailure`` with 69 where there is no macOS.
        func setup() throws(CommandFailure) -> Setup {
            guard Setup.isPossible else { throw CommandFailure.unavailable("setup needs macOS and its commands") }
            return .ofThisMachine
        }

        func takeBack(_ kinds: Set<Setup.Kind>) throws {
            let undone = try setupping { try setup().undo(kinds) }
            StandardError.say(undone.isEmpty ? "nothing was set up" : "taken back:")
            undone.forEach { StandardError.say("  " + $0) }
        }

        func useProxy() throws -> [String] {
            let authority = try authority.open()
            let certificate = authority.certificatePath.map { (path: $0, sha256: authority.fingerprint) }
            return try setupping {
                try setup().useProxy(host: proxy.host, port: proxy.port, services: services, certificate: certificate)
            }
        }

        /// Runs with the failures of the room as failures of the command.
        func setupping<Value>(_ body: () throws -> Value) throws -> Value {
            do { return try body() } catch let failure as SetupFailure { throw CommandFailure(failure) }
        }
    }
}

struct SetupMacCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mac",
        abstract: "Makes the gate this Mac's proxy for http and https, and has its keychain trust the CA.",
        discussion: "macOS asks for an administrator where it has to. An automatic proxy configuration is switched off."
    )

    @OptionGroup var options: SetupCommand.Options

    func run() throws {
        _ = try options.setup()
        if options.undo { return try options.takeBack([.mac]) }
        let done = try options.useProxy()
        StandardError.say(done.isEmpty ? "all was set up already" : "set up; atsgate setup mac --undo takes it back:")
        done.forEach { StandardError.say("  " + $0) }
    }
}

struct SetupSimulatorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulator",
        abstract: "Puts the CA into simulators, and makes the gate the proxy of this Mac, which they share.",
        discussion: """
            Clones that Xcode makes for parallel tests are among all and among the booted ones. --undo empties the \
            keychains of those simulators: simctl has no way to take out one certificate.
            """)

    @Argument(help: ArgumentHelp("booted, all, or the UDID of one.", valueName: "which"))
    var which = "booted"

    @OptionGroup var options: SetupCommand.Options

    func run() throws {
        let setup = try options.setup()
        if options.undo { return try options.takeBack([.simulators, .mac]) }
        guard let certificate = try options.authority.open().certificatePath else { return }
        let done = try options.setupping {
            try setup.trust(certificate: certificate, in: which)
        }
        let all = try done + options.useProxy()
        StandardError.say(
            all.isEmpty ? "all was set up already" : "set up; atsgate setup simulator --undo takes it back:")
        all.forEach { StandardError.say("  " + $0) }
    }
}
