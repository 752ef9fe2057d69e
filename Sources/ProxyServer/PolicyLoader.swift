import ATSPolicy
import Declarations
import Dialing
import NetLoop
import ProxyCore
import Synchronization
import TLSEngine
import Text

/// Makes the policy from files: at the start, and again whenever they change.
final class PolicyLoader: Sendable {
    private let settings: GateSettings
    private let ownAuthorities = Mutex(Set<String>())
    /// Values set since the start, which override the settings.
    private let recordingName: Mutex<String>
    private let given = Mutex<Declaration?>(nil)
    private let unfiled: Mutex<Declaration?>
    /// The files that were read, by path.
    private let read = Mutex([String: FileStamp]())

    init(settings: GateSettings) {
        self.settings = settings
        recordingName = Mutex(settings.recording)
        unfiled = Mutex(settings.declaration)
    }

    /// The recording that loads are filed under.
    var recording: String {
        get { recordingName.withLock { $0 } }
        set { recordingName.withLock { $0 = newValue } }
    }

    /// Replaces the policy file until that is read again.
    var replacement: Declaration? {
        get { given.withLock { $0 } }
        set { given.withLock { $0 = newValue } }
    }

    /// The dictionary if it has no file to read again: from standard input, or from a shared store.
    var standing: Declaration? {
        get { unfiled.withLock { $0 } }
        set { unfiled.withLock { $0 = newValue } }
    }

    /// The name of the dictionary that a reload reads.
    var name: String { standing?.source ?? settings.policyPath ?? "secure defaults" }

    /// The state of each file before it was read; a change means that it must be read again.
    var stamps: [FileStamp] { read.withLock { Array($0.values) } }

    /// Sets the addresses at which the gate itself answers.
    func owns(_ listeners: [ListenAddress]) {
        var authorities = Set<String>()
        for listener in listeners where !listener.isApart {
            for host in [listener.host, "127.0.0.1", "localhost", "::1"] + listener.interfaces.map(\.description) {
                authorities.insert("\(host):\(listener.port)")
            }
        }
        ownAuthorities.withLock { $0 = authorities }
    }

    /// Checks that the parent is not the gate itself, which would loop every load.
    func checkParent() throws(GateError) {
        guard let parent = settings.parent else { return }
        let isOwn = ownAuthorities.withLock { $0.contains("\(parent.host):\(parent.port)") }
        if isOwn { throw .parentIsGate(parent.name) }
    }

    /// Reads policy, roots, logs and client certificates.
    ///
    /// - Parameter known: a dictionary that was read before.
    func load(declaration known: Declaration? = nil) throws(GateError) -> GatePolicy {
        let declaration: Declaration
        if let given = replacement ?? known {
            declaration = given
        } else {
            declaration = try readDeclaration()
        }
        let trust = try settings.readTrust(willRead: willRead)
        return GatePolicy(
            system: system(settings.system, of: declaration), laws: try readLaws(beside: declaration),
            rules: settings.rules, trust: trust, identities: try settings.readIdentities(willRead: willRead),
            recording: recording,
            ownAuthorities: ownAuthorities.withLock { $0 })
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
    private func readLaws(beside usual: Declaration) throws(GateError) -> [ListenerPolicy: JudgedSystem] {
        var laws: [ListenerPolicy: JudgedSystem] = [:]
        for law in settings.listeners.map(\.law) where !law.isUsual && laws[law] == nil {
            var declaration = usual
            if let path = law.policyPath { declaration = try readDeclaration(at: path) }
            laws[law] = system(law.system ?? settings.system, of: declaration)
        }
        return laws
    }

    func readDeclaration() throws(GateError) -> Declaration {
        if let standing { return standing }
        guard let path = settings.policyPath else { return .secureDefaults }
        return try readDeclaration(at: path)
    }

    private func readDeclaration(at path: String) throws(GateError) -> Declaration {
        do throws(DeclarationError) {
            return try DeclarationReader.readOne(path: path, willRead: willRead)
        } catch {
            throw .policy(error)
        }
    }

    /// Notes a file to watch. Deleted files stay watched: they may appear again, as in a bundle that is being copied.
    private func willRead(_ path: String) {
        let stamp = FileStamp(path)
        read.withLock { $0[path] = stamp }
    }
}
