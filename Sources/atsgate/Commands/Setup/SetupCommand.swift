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

        /// - Throws: `ExitCode` 1 where something could not be taken back, ``CommandFailure`` where that failed.
        func takeBack(_ kinds: Set<Setup.Kind>, emptiesKeychains: Bool = false) throws {
            let (undone, waiting) = try setupping { try setup().undo(kinds, emptiesKeychains: emptiesKeychains) }
            if waiting.isEmpty || !undone.isEmpty {
                StandardError.say(undone.isEmpty ? "nothing was set up" : "taken back:")
            }
            undone.forEach { StandardError.say("  " + $0) }
            if undone.contains(where: { $0.hasPrefix("CA in ") }) {
                StandardError.say("a simulator that is running forgets the CA when it is restarted")
            }
            waiting.forEach { StandardError.say("left: \($0): \(Setup.emptyKeychains)") }
            if !waiting.isEmpty { throw ExitCode(1) }
        }

        var gate: Setup.Proxy { Setup.Proxy(host: proxy.host, port: proxy.port, services: services) }

        /// Of the CA; nil where there is none on disk.
        func certificate() throws -> (path: String, sha256: String)? {
            let authority = try authority.open()
            return authority.certificatePath.map { (path: $0, sha256: authority.fingerprint) }
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
        let setup = try options.setup()
        if options.undo { return try options.takeBack([.mac]) }
        let certificate = try options.certificate()
        let done = try options.setupping { try setup.useProxy(options.gate, certificate: certificate) }
        StandardError.say(done.isEmpty ? "all was set up already" : "set up; atsgate setup mac --undo takes it back:")
        done.forEach { StandardError.say("  " + $0) }
    }
}

struct SetupSimulatorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulator",
        abstract: "Puts the CA into simulators, and makes the gate the proxy of this Mac, which they share.",
        discussion: """
            Clones that Xcode makes for parallel tests are among all and among the booted ones. --undo takes the CA \
            out of those simulators' trust stores, and of clones made since.
            """)

    @Argument(help: ArgumentHelp("booted, all, or the UDID of one.", valueName: "which"))
    var which = "booted"

    @Flag(
        help: """
            With --undo: empties the whole keychain of a simulator out of which the CA can not be taken alone. What apps \
            keep there goes with it.
            """)
    var emptyKeychains = false

    @OptionGroup var options: SetupCommand.Options

    func validate() throws {
        guard !emptyKeychains || options.undo else { throw ValidationError("--empty-keychains goes with --undo.") }
    }

    func run() throws {
        let setup = try options.setup()
        if options.undo {
            return try options.takeBack([.simulators, .mac], emptiesKeychains: emptyKeychains)
        }
        guard let certificate = try options.certificate() else { return }
        let all = try options.setupping {
            try setup.useSimulators(which, certificate: certificate, proxy: options.gate)
        }
        StandardError.say(
            all.isEmpty ? "all was set up already" : "set up; atsgate setup simulator --undo takes it back:")
        all.forEach { StandardError.say("  " + $0) }
    }
}
