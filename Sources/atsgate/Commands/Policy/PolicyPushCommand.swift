import ATSPolicy
import ArgumentParser
import ControlPlane
import Declarations
import Files
import Fleet
import Postgres
import Text

struct PolicyPushCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Makes a dictionary the newest version of a name: its gates have it in force within two seconds.",
        discussion: """
            PATH is whatever --policy takes elsewhere; of a bundle or an archive the app's Info.plist is pushed, as it \
            is. Prints what atsgate lint finds in it, and an error refuses the push. A file that is the newest version \
            already is not pushed again. Prints store:NAME@VERSION and the SHA-256. For a login with \
            atsgate_maintainer.

            Exit code: 1 where lint finds an error, unless --force; otherwise as atsgate policy.
            """)

    @OptionGroup var shared: SharedStoreOptions

    @Flag(help: "Push it whatever lint finds, and even where it cannot be read.")
    var force = false

    @Argument(help: ArgumentHelp("What gates call it.", valueName: "name"))
    var name: String

    @Argument(help: ArgumentHelp("The dictionary, or - for standard input.", valueName: "path"), completion: .file())
    var path: String

    func run() throws {
        guard try SharedStoreOptions.reference(name).version == nil else {
            throw CommandFailure.usage("a push makes the version: name \(name.prefix { $0 != "@" }) alone")
        }
        let content = try content()
        let (policy, isNew) = try shared.policies { policies, _ in
            do { return try policies.push(content, as: name) } catch PostgresError.refused("42501", let message) {
                throw PostgresError.refused(
                    sqlState: "42501",
                    message: """
                        this login may not push (\(message)): an administrator grants it atsgate_maintainer, \
                        as atsgate store roles says
                        """)
            }
        }
        if !isNew { StandardError.say("atsgate: nothing was pushed, for \(policy.title) is the same") }
        try StoreInitCommand.write(policy.line)
    }

    /// - Throws: ``CommandFailure`` where it is not to be pushed.
    private func content() throws -> [UInt8] {
        var typed: [UInt8] = []
        let loaded: LoadedDeclaration
        do throws(DeclarationError) {
            let all = try DeclarationReader.read(path: path) {
                typed = try StandardInput.read()
                return typed
            }
            loaded = try DeclarationReader.main(of: all, path: path)
        } catch {
            guard force else { throw CommandFailure.badInput("\(error)".printable) }
            StandardError.say("atsgate: warning: \(error)".printable)
            return try path == "-" ? typed : bytes()
        }
        let source = loaded.declaration.source
        loaded.declaration.remarks.forEach(StandardError.say)
        let problems = GateInterface.Problems(in: loaded.declaration, at: source)
        guard let problems, problems.errors > 0, !force else { return loaded.bytes }
        throw CommandFailure(
            exitCode: 1, sentence: "\(problems.sentence(about: path)); --force pushes it all the same".printable)
    }

    /// Of what is no dictionary.
    private func bytes() throws(CommandFailure) -> [UInt8] {
        do throws(FileFault) {
            return try InputFile.bytes(of: path, upTo: DeclarationLimits.fileBytes)
        } catch {
            throw .badInput("\(path) cannot be read: \(error)".printable)
        }
    }
}
