import ATSPolicy
import ArgumentParser
import Declarations
import Diagnosis
import Fleet
import Text

struct PolicyDiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Shows how rulings and text change from one version to another, or to a file.",
        discussion: """
            A second argument without a version is a file: diff NAME Info.plist shows what a push would change. \
            Without one, the version before is compared with NAME. Prints nothing if both are the same. For the effect \
            on recorded loads: atsgate replay --policy.
            """)

    @OptionGroup var shared: SharedStoreOptions

    @Argument(help: PolicyCommand.name)
    var old: String

    @Argument(help: ArgumentHelp("NAME@VERSION, or anything --policy accepts.", valueName: "new"), completion: .file())
    var new: String?

    func run() throws {
        let named = try shared.policy(old)
        let first = try new == nil ? before(named) : named.declaration()
        let second = try new.map { try stored($0) ?? file($0) } ?? named.declaration()
        try StoreInitCommand.write(DictionaryDiff(from: first, to: second, on: .newest).text)
    }

    private func before(_ policy: SharedPolicy) throws -> Declaration {
        guard policy.version > 1 else {
            throw CommandFailure.badInput("\(policy.name) has only one version: name a file to compare it with")
        }
        return try shared.policy("\(policy.name)@\(policy.version - 1)").declaration()
    }

    private func stored(_ new: String) throws -> Declaration? {
        PolicyReference(new)?.version == nil ? nil : try shared.policy(new).declaration()
    }

    private func file(_ new: String) throws(CommandFailure) -> Declaration {
        do throws(DeclarationError) {
            return try DeclarationReader.readOne(path: new)
        } catch {
            throw .badInput("\(error)".printable)
        }
    }
}

struct PolicyPullCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pull",
        abstract: "Writes the file of a policy, byte for byte as it was pushed.",
        discussion: "Standard error shows its version, when and by which login it was pushed, and its SHA-256.")

    @OptionGroup var shared: SharedStoreOptions

    @Option(help: ArgumentHelp("Write to a file instead of standard output.", valueName: "path"))
    var output: String?

    @Argument(help: PolicyCommand.name)
    var name: String

    func run() throws {
        let policy = try shared.policy(name)
        try Output.withOutput(to: output) { try $0.write(policy.content) }
        let about = "\(policy.title), pushed \(policy.pushed.dayAndTime) UTC by \(policy.by), SHA-256 \(policy.digest)"
        StandardError.writeLine("atsgate: \(about)".printable)
    }
}

struct PolicyListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the newest version of each policy, and older ones that gates enforce.",
        discussion: """
            GATES counts gates that reported in the last five minutes; - if the login may not see gates. A gate \
            reports a new version within a second after it enforces it.
            """)

    @OptionGroup var shared: SharedStoreOptions

    @Argument(help: ArgumentHelp("List every version of this policy.", valueName: "name"))
    var name: String?

    func run() throws {
        let listings = try shared.policies { policies, _ in try policies.list(name) }
        let rows = listings.map { listing in
            [
                "\(listing.name)@\(listing.version)", listing.pushed.dayAndTime, listing.by.printable,
                listing.gates.map { "\($0)" } ?? "-", String(listing.digest.prefix(12)),
            ]
        }
        let lines = [["POLICY", "PUSHED (UTC)", "BY", "GATES", "SHA-256"]] + rows
        let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        let text = lines.map { line in
            zip(line, widths).map { $0.padded(to: $1) }.joined(separator: "  ") + "\n"
        }
        try StoreInitCommand.write(text.joined())
    }
}
