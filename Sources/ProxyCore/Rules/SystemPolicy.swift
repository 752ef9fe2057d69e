public import ATSPolicy
import Bytes
import Synchronization

/// One version of the policy, distinguished from others by identity: each reload makes a new one.
final class PolicyVersion: Sendable {}

/// The policy for one emulated release. Made once per release and ``GatePolicy``, so that judged objects can be
/// compared by identity.
public final class SystemPolicy: Sendable {
    public let judge: Judge
    /// The version of the policy that this belongs to.
    let policyVersion: PolicyVersion
    /// The release's name in records.
    let profileName: String

    init(judge: Judge, policyVersion: PolicyVersion) {
        self.judge = judge
        self.policyVersion = policyVersion
        profileName = judge.profile.name
    }

    public var profile: OSProfile { judge.profile }
}

/// A client's release and the source of the guess.
struct ClientSystem: Sendable {
    let policy: SystemPolicy
    /// nil if the release was named by the user.
    let guess: OSGuess?
}

/// The releases that a gate emulates: one for every client, or each client's own by its User-Agent.
///
/// Source of the guess: matomo-org/device-detector, ua-parser/uap-core; docs/law/profiles.md#darwin. Judges are made on
/// demand and kept. Their number, and that of remembered agents, is bounded, because clients write the agent.
final class SystemTable: Sendable {
    /// For clients whose release is unknown.
    let usual: ClientSystem
    private let guessesByAgent: Bool
    private let policyVersion: PolicyVersion
    private let cache = Mutex(Cache())

    private struct Cache {
        var byAgent = WeighedCache<String, ClientSystem>(
            .systems, limit: SystemTable.byteLimit, count: SystemTable.agentLimit)
        /// No more than there are profiles.
        var byProfile: [OSProfile: SystemPolicy] = [:]
    }

    init(judge: Judge, system: SystemSource, policyVersion: PolicyVersion) {
        self.policyVersion = policyVersion
        let policy = SystemPolicy(judge: judge, policyVersion: policyVersion)
        switch system {
        case .named:
            usual = ClientSystem(policy: policy, guess: nil)
            guessesByAgent = false
        case .guessed(let guess):
            usual = ClientSystem(policy: policy, guess: guess)
            guessesByAgent = true
        }
    }

    /// The release for an agent. Called when a client's User-Agent is first seen or changes, not for each load.
    func system(ofAgent agent: String?) -> ClientSystem {
        guard guessesByAgent, let agent else { return usual }
        if let known = cache.withLock({ $0.byAgent.value(for: agent) }) { return known }
        // Reading the agent and indexing a declaration take a while: not under the lock.
        let found =
            OSProfile.guess(userAgent: agent).map { ClientSystem(policy: policy(of: $0.profile), guess: $0) } ?? usual
        cache.withLock { $0.byAgent.keep(found, for: agent, bytes: agent.utf8.count + Self.guessBytes) }
        return found
    }

    /// The release for an agent and a hello. The hello is evidence, so it decides if the two contradict each other.
    func system(ofAgent agent: String?, hello: HelloReading?) -> ClientSystem {
        let found = system(ofAgent: agent)
        guard guessesByAgent, let hello, let guess = OSGuess(hello, against: found.policy.profile, found.guess) else {
            return found
        }
        return ClientSystem(policy: policy(of: guess.profile), guess: guess)
    }

    private func policy(of profile: OSProfile) -> SystemPolicy {
        let model = usual.policy.judge
        if profile == model.profile { return usual.policy }
        if let known = cache.withLock({ $0.byProfile[profile] }) { return known }
        let made = SystemPolicy(
            judge: Judge(declaration: model.declaration, profile: profile, switches: model.switches),
            policyVersion: policyVersion)
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
