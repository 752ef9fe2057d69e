import ATSPolicy
import Declarations
import Files
import Fleet
import Foundation
import Logging
import Postgres
import ProxyServer
import Reporting
import Synchronization
import Text

/// The dictionary of `--policy store:NAME`: its name and its store.
struct StorePolicy: Sendable {
    let reference: PolicyReference
    let address: PostgresAddress

    /// - Returns: nil if `--policy` does not name a stored one.
    /// - Throws: ``CommandFailure`` with 64 for an invalid name, and without a shared store.
    init?(_ choices: GateChoices) throws(CommandFailure) {
        guard let text = choices.settings.policyPath, Self.isOne(text) else { return nil }
        guard let reference = PolicyReference(String(text.dropFirst(PolicyReference.scheme.count))) else {
            throw .usage("--policy \(text) is neither store:NAME nor store:NAME@VERSION; for a file, write ./\(text)")
        }
        guard case .shared(let address) = choices.store else {
            throw .usage("--policy \(text) is in a shared store: name it with --store postgres://USER@HOST/DATABASE")
        }
        self.reference = reference
        self.address = address
    }

    static func isOne(_ text: String) -> Bool { text.hasPrefix(PolicyReference.scheme) }

    /// Reads the dictionary from the server.
    ///
    /// - Throws: ``CommandFailure`` with 65 for one that does not exist or cannot be read, with 69 if the server cannot
    ///   be reached.
    func read(timeout: Duration = .seconds(30)) throws(CommandFailure) -> (SharedPolicy, Declaration) {
        do {
            guard let policy = try SharedPolicies.fetch(reference, from: address, timeout: timeout) else {
                throw CommandFailure.badInput(
                    "\(address.shown) has no policy \(reference); atsgate policy list shows its policies")
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

    /// Reads the dictionary for a start. If the server cannot be reached, uses the latest copy on this machine.
    func readOrRecall() throws(CommandFailure) -> (SharedPolicy, Declaration) {
        let file = PolicyFile(path: path, of: reference)
        do throws(CommandFailure) {
            // Without a copy, the gate cannot start before the server answers.
            let (policy, declaration) = try read(timeout: .seconds(file == nil ? 30 : 10))
            if let trouble = keep(policy) { StandardError.writeLine("atsgate: warning: \(trouble)") }
            return (policy, declaration)
        } catch {
            guard let kept = file, let declaration = try? Self.declaration(of: kept.policy)
            else {
                throw CommandFailure(
                    exitCode: error.exitCode,
                    sentence: "\(error.sentence); and this machine has no copy of store:\(reference) at \(path)")
            }
            let age = "pushed \(kept.policy.pushed.dayAndTime) UTC and fetched \(kept.got.dayAndTime) UTC"
            StandardError.writeLine(
                "atsgate: warning: \(error.sentence.printable); \(kept.policy.title), \(age), is in force instead")
            return (kept.policy, declaration)
        }
    }

    /// Returns a follower that makes a running gate enforce each new version; nil for a fixed version.
    ///
    /// - Parameter known: the version in force.
    func follower(for gate: Gate, from known: SharedPolicy, log: Logger) -> PolicyFollower? {
        guard reference.version == nil else { return nil }
        return PolicyFollower(of: known, at: address, onNotice: log.show) {
            [weak gate] policy in
            let declaration = Result { () throws(DeclarationError) in try Self.declaration(of: policy) }
            if case .success = declaration, let trouble = keep(policy) { log.warning("\(trouble)") }
            gate?.reload(declaration)
        }
    }

    /// The path of the copy, next to the spool.
    private var path: String { DataDirectory.policyPath(address.digest, "\(reference)") }

    /// - Returns: The error in a sentence; nil for none.
    private func keep(_ policy: SharedPolicy) -> String? {
        do {
            try PolicyFile(policy, got: Int64(Date().timeIntervalSince1970 * 1000)).write(to: path)
            return nil
        } catch {
            let words = (error as? CommandFailure)?.sentence ?? "\(error)"
            return "\(policy.title) was not saved for starts without the server: \(words)".printable
        }
    }

    // MARK: - Dictionaries

    static func declaration(of policy: SharedPolicy) throws(DeclarationError) -> Declaration {
        let declaration = try DeclarationReader.parse(policy.content, source: policy.title)
        let text = try PropertyFile(policy.content, source: policy.title).text
        texts.withLock { $0 = text.map { (policy.title, $0) } }
        return declaration
    }

    /// The latest source text of the dictionary with this name, for its comments and lines; nil for any other name, and
    /// for a dictionary that is not text.
    static func text(of source: String) -> String? { texts.withLock { $0?.title == source ? $0?.text : nil } }

    private static let texts = Mutex<(title: String, text: String)?>(nil)
}

/// A copy of a shared store's dictionary on this machine, for a gate that starts while the server is unreachable. The
/// first line describes it; the pushed content follows.
struct PolicyFile {
    let policy: SharedPolicy
    /// When the server last confirmed that this is the newest version: milliseconds since 1970.
    let got: Int64

    init(_ policy: SharedPolicy, got: Int64) {
        self.policy = policy
        self.got = got
    }

    /// - Returns: nil if the file does not exist, or does not contain the requested version.
    init?(path: String, of reference: PolicyReference) {
        let limit = DeclarationLimits.fileBytes + Self.headBytes
        guard let bytes = try? InputFile.bytes(of: path, upTo: limit), let end = bytes.firstIndex(of: Self.lineEnd),
            end < Self.headBytes
        else { return nil }
        let words = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ")
        guard words.count == 6, words[0] == Self.kind, words[1] == reference.name, let version = Int64(words[2]),
            reference.version == nil || reference.version == version,
            let pushed = Int64(words[4]), let got = Int64(words[5])
        else { return nil }
        policy = SharedPolicy(
            name: reference.name, version: version, content: Array(bytes[(end + 1)...]), digest: String(words[3]),
            pushed: pushed, by: "")
        self.got = got
    }

    /// - Throws: ``CommandFailure``; the old file stays then.
    func write(to path: String) throws {
        let words = [
            Self.kind, policy.name, "\(policy.version)", policy.digest, "\(policy.pushed)", "\(got)",
        ]
        let head = Array(words.joined(separator: " ").utf8) + [Self.lineEnd]
        try WholeFile.writePrivate(head + policy.content, to: path)
    }

    private static let kind = "atsgate-policy"
    private static let headBytes = 512
    private static let lineEnd = UInt8(ascii: "\n")
}
