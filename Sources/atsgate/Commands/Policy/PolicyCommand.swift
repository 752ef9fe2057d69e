import ATSPolicy
import ArgumentParser
import Fleet
import Postgres
import Text

/// Dictionaries that the gates of a shared store enforce.
struct PolicyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract: "Pushes dictionaries to gates of a shared store.",
        discussion: """
            A gate enforces one with proxy --policy store:NAME. NAME is the newest version, NAME@VERSION that one; \
            versions count from 1. More: atsgate explain fleet. Exit code: 0; 65 for a name, a version or a file that \
            does not exist or cannot be read; 69 as for atsgate store.
            """,
        subcommands: [
            PolicyPushCommand.self, PolicyListCommand.self, PolicyDiffCommand.self, PolicyPullCommand.self,
        ])

    static let name = ArgumentHelp("NAME or NAME@VERSION.", valueName: "name")
}

extension SharedStoreOptions {
    /// Opens the dictionaries of the store for `body`, for a minute at most.
    func policies<Answer>(_ body: (SharedPolicies, PostgresAddress) throws -> Answer) throws -> Answer {
        try connected(limit: .seconds(60)) { connection, address in try body(SharedPolicies(on: connection), address) }
    }

    /// Returns one dictionary.
    ///
    /// - Throws: ``CommandFailure``.
    func policy(_ text: String) throws -> SharedPolicy {
        let reference = try Self.reference(text)
        return try policies { policies, address in
            guard let policy = try policies.policy(reference) else {
                throw CommandFailure.badInput("\(address.shown) has no policy \(reference)")
            }
            return policy
        }
    }

    /// - Throws: ``CommandFailure`` with 64.
    static func reference(_ text: String) throws(CommandFailure) -> PolicyReference {
        guard let reference = PolicyReference(text) else {
            throw .usage(
                "\(text) is not a policy name: use up to 63 letters, digits, dots, _ and -, then optionally @VERSION")
        }
        return reference
    }
}

extension SharedPolicy {
    /// - Throws: ``CommandFailure`` with 65.
    func declaration() throws(CommandFailure) -> Declaration {
        do throws(DeclarationError) {
            return try StorePolicy.declaration(of: self)
        } catch {
            throw .badInput("\(error)".printable)
        }
    }

    /// `store:NAME@VERSION SHA256`.
    var line: String { "\(title) \(digest)\n" }
}
