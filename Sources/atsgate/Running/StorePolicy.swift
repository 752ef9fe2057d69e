import ATSPolicy
import Declarations
import Fleet
import Foundation
import Logging
import Postgres
import ProxyServer
import Reporting
import Synchronization
import Text

/// The dictionary that `--policy store:NAME` names: which, and where it is.
struct StorePolicy: Sendable {
    let reference: PolicyReference
    let address: PostgresAddress

    /// - Returns: nil where `--policy` names none of a store.
    /// - Throws: ``CommandFailure`` with 64 for what is no name, and where no shared store is named.
    init?(_ choices: GateChoices) throws(CommandFailure) {
        guard let text = choices.settings.policyPath, Self.isOne(text) else { return nil }
        guard let reference = PolicyReference(String(text.dropFirst(PolicyReference.scheme.count))) else {
            throw .usage("--policy \(text) is neither store:NAME nor store:NAME@VERSION; a file is ./\(text)")
        }
        guard case .shared(let address) = choices.store else {
            throw .usage("--policy \(text) is in a shared store: name it by --store postgres://USER@HOST/DATABASE")
        }
        self.reference = reference
        self.address = address
    }

    static func isOne(_ text: String) -> Bool { text.hasPrefix(PolicyReference.scheme) }

    /// The dictionary as the server has it now.
    ///
    /// - Throws: ``CommandFailure``: with 65 for one that is not there or cannot be read, with 69 where nobody can be asked.
    func read(patience: Duration = .seconds(30)) throws(CommandFailure) -> (SharedPolicy, Declaration) {
        do {
            guard let policy = try SharedPolicies.fetch(reference, from: address, patience: patience) else {
                throw CommandFailure.badInput(
                    "\(address.shown) has no policy \(reference); atsgate policy list tells what it has")
            }
            return (policy, try Self.declaration(of: policy))
        } catch let failure as CommandFailure {
            throw failure
        } catch let error as StoreError {
            throw CommandFailure(error)
        } catch {
            throw .badInput("\(error)")
        }
    }

    /// The same for a start: where it cannot be had, the one that an earlier gate of this machine had last stands for it.
    func readOrRecall() throws(CommandFailure) -> (SharedPolicy, Declaration) {
        let file = PolicyFile(path: path, of: reference)
        do throws(CommandFailure) {
            // Without the other there is nothing that could begin earlier.
            let (policy, declaration) = try read(patience: .seconds(file == nil ? 30 : 10))
            if let trouble = keep(policy) { StandardError.say("atsgate: warning: \(trouble)") }
            return (policy, declaration)
        } catch {
            guard let kept = file, let declaration = try? Self.declaration(of: kept.policy)
            else {
                throw CommandFailure(
                    exitCode: error.exitCode,
                    sentence: "\(error.sentence); and no gate of this machine has kept store:\(reference) at \(path)")
            }
            let age = "pushed \(kept.policy.pushed.dayAndTime) UTC and got \(kept.got.dayAndTime) UTC"
            StandardError.say(
                "atsgate: warning: \(error.sentence.printable); \(kept.policy.title), \(age), is in force instead")
            return (kept.policy, declaration)
        }
    }

    /// What has a running gate enforce each version that is pushed, once it is begun. nil for one version alone.
    ///
    /// - Parameter known: the version in force.
    func follower(for gate: Gate, from known: SharedPolicy, log: Logger) -> PolicyFollower? {
        guard reference.version == nil else { return nil }
        return PolicyFollower(of: known, at: address, onNotice: { log.warning("\($0.printable)") }) {
            [weak gate] policy in
            let declaration = Result { () throws(DeclarationError) in try Self.declaration(of: policy) }
            if case .success = declaration, let trouble = keep(policy) { log.warning("\(trouble)") }
            gate?.reload(declaration)
        }
    }

    /// Next to the spool.
    private var path: String { DataDirectory.policyPath(address.digest, "\(reference)") }

    /// - Returns: what went wrong, in a sentence; nil for nothing.
    private func keep(_ policy: SharedPolicy) -> String? {
        do {
            try PolicyFile(policy, got: Int64(Date().timeIntervalSince1970 * 1000)).write(to: path)
            return nil
        } catch {
            let words = (error as? CommandFailure)?.sentence ?? "\(error)"
            return "\(policy.title) is not kept for a start without the server: \(words)".printable
        }
    }

    // MARK: - Dictionaries

    static func declaration(of policy: SharedPolicy) throws(DeclarationError) -> Declaration {
        let declaration = try DeclarationReader.parse(policy.content, source: policy.title)
        let text = try PropertyFile(policy.content, source: policy.title).text
        texts.withLock { $0 = text.map { (policy.title, $0) } }
        return declaration
    }

    /// What the dictionary of this name was read from last, for comments and lines in it; nil for any other name, and where
    /// it is no text.
    static func text(of source: String) -> String? { texts.withLock { $0?.title == source ? $0?.text : nil } }

    private static let texts = Mutex<(title: String, text: String)?>(nil)
}
