import ArgumentParser
import Foundation
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

        @Flag(help: "Only list what would be changed, or with --undo taken back.")
        var dryRun = false

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
            var setup = Setup.ofThisMachine
            setup.onlyLooks = dryRun
            return setup
        }

        /// Says what was done, or would be.
        ///
        /// - Parameter undo: the command that takes it back.
        func tell(_ titles: [String], undo: String) {
            let head = dryRun ? "this would be set up:" : "set up; \(undo) takes it back:"
            StandardError.say(titles.isEmpty ? "all was set up already" : head)
            titles.forEach { StandardError.say("  " + $0) }
            if dryRun { StandardError.say("nothing was changed: --dry-run") }
        }

        /// - Throws: `ExitCode` 1 where something could not be taken back, ``CommandFailure`` where that failed.
        func takeBack(_ kinds: Set<Setup.Kind>, emptiesKeychains: Bool = false) throws {
            guard !dryRun else {
                let titles = try setupping { try SetupJournal.ofThisUser.titles() }
                StandardError.say(titles.isEmpty ? "nothing was set up" : "what was set up, and would be taken back:")
                titles.forEach { StandardError.say("  " + $0) }
                return
            }
            let (undone, waiting) = try setupping { try setup().undo(kinds, emptiesKeychains: emptiesKeychains) }
            if waiting.isEmpty || !undone.isEmpty {
                StandardError.say(undone.isEmpty ? "nothing was set up" : "taken back:")
            }
            undone.forEach { StandardError.say("  " + $0.title) }
            if undone.contains(where: { $0.kind == .simulators }) {
                StandardError.say("a simulator that is running forgets the CA when it is restarted")
            }
            waiting.forEach { StandardError.say("left: \($0): \(Setup.emptyKeychains)") }
            if !waiting.isEmpty { throw ExitCode(1) }
        }

        var gate: Setup.Proxy { Setup.Proxy(host: proxy.host, port: proxy.port, services: services) }

        /// Of the CA; nil where there is none on disk.
        func certificate() throws -> (path: String, sha256: String)? {
            let path = try authority.directory() + "/ca-cert.pem"
            // Looking makes no CA.
            if dryRun, access(path, F_OK) != 0 { return (path: path, sha256: "") }
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
        options.tell(done, undo: "atsgate setup mac --undo")
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
        options.tell(all, undo: "atsgate setup simulator --undo")
    }
}
