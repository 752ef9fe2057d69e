import ATSPolicy
import Declarations
import Dialing
import NetLoop
import ProxyCore
import Text

/// The sources of the policy: settings, files, and the values that were set since the start and override them. Makes the
/// policy at the start, and again whenever a source changes.
struct PolicySource: Sendable {
    private let settings: GateSettings
    private var ownAuthorities: Set<String> = []
    /// The recording that loads are filed under.
    var recording: String
    /// Replaces the policy file until that is read again.
    var replacement: Declaration?
    /// The dictionary if it has no file to read again: from standard input, or from a shared store.
    var standing: Declaration?
    /// The files that were read, by path.
    private var read: [String: FileStamp] = [:]

    init(settings: GateSettings) {
        self.settings = settings
        recording = settings.recording
        standing = settings.declaration
    }

    /// The name of the dictionary that a reload reads.
    var name: String { standing?.source ?? settings.policyPath ?? "secure defaults" }

    /// The state of each file before it was read; a change means that it must be read again.
    var stamps: [FileStamp] { Array(read.values) }

    /// Takes over what outlasts a failed attempt: the files that it has read, so that it is not repeated before they change,
    /// and a new dictionary without a file, so that the next attempt finds it.
    mutating func noteFailure(of attempt: PolicySource) {
        read = attempt.read
        standing = attempt.standing
    }

    /// Sets the addresses at which the gate itself answers.
    mutating func owns(_ listeners: [ListenAddress]) {
        var authorities = Set<String>()
        for listener in listeners where !listener.isApart {
            for host in [listener.host, "127.0.0.1", "localhost", "::1"] + listener.interfaces.map(\.description) {
                authorities.insert("\(host):\(listener.port)")
            }
        }
        ownAuthorities = authorities
    }

    /// Checks that the parent is not the gate itself, which would loop every load.
    func checkParent() throws(GateError) {
        guard let parent = settings.parent else { return }
        if ownAuthorities.contains("\(parent.host):\(parent.port)") { throw .parentIsGate(parent.name) }
    }

    /// Reads policy, roots, logs and client certificates.
    ///
    /// - Parameter known: a dictionary that was read before.
    mutating func load(declaration known: Declaration? = nil) throws(GateError) -> GatePolicy {
        let declaration: Declaration
        if let given = replacement ?? known {
            declaration = given
        } else {
            declaration = try readDeclaration()
        }
        let trust = try settings.readTrust { willRead($0) }
        return GatePolicy(
            system: system(settings.system, of: declaration), laws: try readLaws(beside: declaration),
            rules: settings.rules, trust: trust, identities: try settings.readIdentities { willRead($0) },
            recording: recording, ownAuthorities: ownAuthorities)
    }

    private func system(_ choice: SystemChoice, of declaration: Declaration) -> JudgedSystem {
        func judge(_ profile: OSProfile) -> Judge {
            Judge(declaration: declaration, profile: profile, switches: settings.switches)
        }
        switch choice {
        case .named(let profile): return JudgedSystem(judge: judge(profile))
        case .guessed:
            let guess = OSProfile.guess(declaration: declaration)
            return JudgedSystem(judge: judge(guess?.profile ?? .newest), source: .guessed(usual: guess))
        }
    }

    /// Reads the dictionaries and releases for the clients of single listeners.
    private mutating func readLaws(beside usual: Declaration) throws(GateError) -> [ListenerPolicy: JudgedSystem] {
        var laws: [ListenerPolicy: JudgedSystem] = [:]
        for law in settings.listeners.map(\.law) where !law.isUsual && laws[law] == nil {
            var declaration = usual
            if let path = law.policyPath { declaration = try readDeclaration(at: path) }
            laws[law] = system(law.system ?? settings.system, of: declaration)
        }
        return laws
    }

    mutating func readDeclaration() throws(GateError) -> Declaration {
        if let standing { return standing }
        guard let path = settings.policyPath else { return .secureDefaults }
        return try readDeclaration(at: path)
    }

    private mutating func readDeclaration(at path: String) throws(GateError) -> Declaration {
        var files: [String: FileStamp] = [:]
        defer { read.merge(files) { $1 } }
        do throws(DeclarationError) {
            return try DeclarationReader.readOne(path: path, willRead: { files[$0] = FileStamp($0) })
        } catch {
            throw .policy(error)
        }
    }

    /// Notes a file to watch. Deleted files stay watched: they may appear again, as in a bundle that is being copied.
    private mutating func willRead(_ path: String) { read[path] = FileStamp(path) }
}
