import ATSPolicy
import ArgumentParser
import ControlPlane
import Declarations
import Diagnosis
import Files
import Fleet
import Postgres
import Text

struct PolicyPushCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Makes a dictionary the newest version of a policy; its gates enforce it within two seconds.",
        discussion: """
            PATH is anything that --policy accepts; from a bundle or an archive, the app's Info.plist is pushed \
            unchanged. Prints the findings of atsgate lint; an error stops the push, and so does a dictionary that turns \
            ATS off (lint.arbitrary-loads). A file that already is the newest version is not pushed again. Prints store:NAME@VERSION and the SHA-256. The login needs atsgate_maintainer.

            Exit code: 1 when lint stops the push and --force is not given; otherwise as for atsgate policy.
            """)

    @OptionGroup var shared: SharedStoreOptions

    @Flag(help: "Push it even if lint finds errors, if it turns ATS off, or if it is not a valid dictionary.")
    var force = false

    @Argument(help: ArgumentHelp("The policy's name.", valueName: "name"))
    var name: String

    @Argument(help: ArgumentHelp("The dictionary, or - for standard input.", valueName: "path"), completion: .file())
    var path: String

    func run() throws {
        guard try SharedStoreOptions.reference(name).version == nil else {
            throw CommandFailure.usage("push assigns the version: give only the name, \(name.prefix { $0 != "@" })")
        }
        let content = try content()
        let (policy, isNew) = try shared.policies { policies, _ in
            do { return try policies.push(content, as: name) } catch PostgresError.refused("42501", let message) {
                throw PostgresError.refused(
                    sqlState: "42501",
                    message: """
                        this login may not push (\(message)): an administrator can grant it atsgate_maintainer, \
                        see atsgate store init --roles
                        """)
            }
        }
        if !isNew { StandardError.writeLine("atsgate: nothing was pushed: \(policy.title) is the same") }
        try StoreInitCommand.write(policy.line)
    }

    /// - Throws: ``CommandFailure`` if it must not be pushed.
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
            StandardError.writeLine("atsgate: warning: \(error)".printable)
            return try path == "-" ? typed : bytes()
        }
        let source = loaded.declaration.source
        loaded.declaration.remarks.forEach(StandardError.writeLine)
        let problems = GateInterface.Problems(in: loaded.declaration, at: source)
        guard let problems, !force else { return loaded.bytes }
        let turnsOff = loaded.declaration.linted(at: source).turnsATSOff
        guard problems.errors > 0 || turnsOff else { return loaded.bytes }
        let what = turnsOff ? "\(path) turns ATS off" : problems.sentence(about: path)
        throw CommandFailure(exitCode: 1, sentence: "\(what); --force pushes it anyway".printable)
    }

    /// The content of a file that is not a valid dictionary.
    private func bytes() throws(CommandFailure) -> [UInt8] {
        do throws(FileFault) {
            return try InputFile.bytes(of: path, upTo: DeclarationLimits.fileBytes)
        } catch {
            throw .badInput("\(path) cannot be read: \(error)".printable)
        }
    }
}
