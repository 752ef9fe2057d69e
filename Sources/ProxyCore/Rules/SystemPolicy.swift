public import ATSPolicy
import Bytes
import Synchronization

/// One version of the law, told from others by identity: each reload makes a new one.
final class LawEdition: Sendable {}

/// The law as one emulated system applies it. Made once per system under one ``GatePolicy``, so that what was judged
/// under it can be told by identity.
public final class SystemPolicy: Sendable {
    public let judge: Judge
    /// Other dictionaries, for the same system.
    let candidates: [Candidate]
    /// The law that this is part of.
    let edition: LawEdition
    /// As records have it.
    let profileName: String

    init(judge: Judge, candidates: [Declaration], appTrust: AppTrust, edition: LawEdition) {
        self.judge = judge
        self.edition = edition
        profileName = judge.profile.name
        self.candidates = candidates.map { Candidate($0, like: judge, appTrust: appTrust) }
    }

    public var profile: OSProfile { judge.profile }
}

/// What a client is taken for: its system's law, and what that was read from.
struct ClientSystem: Sendable {
    let policy: SystemPolicy
    /// nil where the system was named and not guessed.
    let guess: OSGuess?
}

/// The systems of a gate: one for every client, or each client's own by its User-Agent, as far as that tells.
///
/// Source of the guess: matomo-org/device-detector, ua-parser/uap-core; docs/law/profiles.md#darwin. Judges are made on
/// first need and kept; their number, and that of agents remembered, is bounded, because whoever asks writes the agent.
final class SystemTable: Sendable {
    /// For clients that tell nothing.
    let usual: ClientSystem
    private let guessesByAgent: Bool
    private let candidates: [Declaration]
    private let appTrust: AppTrust
    private let edition: LawEdition
    private let cache = Mutex(Cache())

    private struct Cache {
        var byAgent = WeighedCache<String, ClientSystem>(
            .systems, limit: SystemTable.byteLimit, count: SystemTable.agentLimit)
        /// No more than there are profiles.
        var byProfile: [OSProfile: SystemPolicy] = [:]
    }

    init(
        judge: Judge, system: SystemSource, candidates: [Declaration], appTrust: AppTrust, edition: LawEdition
    ) {
        self.candidates = candidates
        self.appTrust = appTrust
        self.edition = edition
        let policy = SystemPolicy(judge: judge, candidates: candidates, appTrust: appTrust, edition: edition)
        switch system {
        case .named:
            usual = ClientSystem(policy: policy, guess: nil)
            guessesByAgent = false
        case .guessed(let guess):
            usual = ClientSystem(policy: policy, guess: guess)
            guessesByAgent = true
        }
    }

    /// Asked when a client's User-Agent is first seen or changes, not for each load.
    func system(ofAgent agent: String?) -> ClientSystem {
        guard guessesByAgent, let agent else { return usual }
        if let known = cache.withLock({ $0.byAgent.value(for: agent) }) { return known }
        // Reading the agent and indexing a declaration take a while: not under the lock.
        let found =
            OSProfile.guess(userAgent: agent).map { ClientSystem(policy: policy(of: $0.profile), guess: $0) } ?? usual
        cache.withLock { $0.byAgent.keep(found, for: agent, bytes: agent.utf8.count + Self.guessBytes) }
        return found
    }

    private func policy(of profile: OSProfile) -> SystemPolicy {
        let model = usual.policy.judge
        if profile == model.profile { return usual.policy }
        if let known = cache.withLock({ $0.byProfile[profile] }) { return known }
        let made = SystemPolicy(
            judge: Judge(declaration: model.declaration, profile: profile, switches: model.switches),
            candidates: candidates, appTrust: appTrust, edition: edition)
        return cache.withLock { cache in
            if let known = cache.byProfile[profile] { return known }
            if cache.byProfile.count >= Self.judgeLimit { cache.byProfile.removeAll(keepingCapacity: true) }
            cache.byProfile[profile] = made
            return made
        }
    }

    private static let agentLimit = 512
    private static let byteLimit = 1 << 20
    /// A guess quotes parts of the agent.
    private static let guessBytes = 512
    private static let judgeLimit = 64
}
