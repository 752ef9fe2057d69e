import ATSPolicy
import ArgumentParser
import Fleet
import Postgres
import Text

/// Dictionaries that the gates of a shared store enforce.
struct PolicyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract: "Pushes dictionaries to all gates of a shared store, and shows which they have.",
        discussion: """
            Gates enforce one by proxy --policy store:NAME. NAME stands for its newest version, NAME@VERSION for that \
            one; versions count from 1. More: atsgate explain fleet. Exit code: 0; 65 for a name, a version or a file \
            that is not there or cannot be read; 69 as for atsgate store.
            """,
        subcommands: [
            PolicyPushCommand.self, PolicyListCommand.self, PolicyShowCommand.self, PolicyDiffCommand.self,
            PolicyPullCommand.self,
        ])

    static let name = ArgumentHelp("NAME or NAME@VERSION.", valueName: "name")
}

extension SharedStoreOptions {
    /// Hands over the dictionaries of the store.
    func policies<Answer>(_ body: (SharedPolicies, PostgresAddress) throws -> Answer) throws -> Answer {
        try connected { connection, address in try body(SharedPolicies(on: connection), address) }
    }

    /// One of them.
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
                "\(text) names no policy: letters, digits, dots, _ and -, 63 at most, then @ and a version or nothing")
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
