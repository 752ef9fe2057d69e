import Dispatch
public import Postgres
import Synchronization

/// Hears of each new version of a dictionary in a shared store, on a queue and a connection of its own. A server that is
/// away changes nothing, and is asked again until it is there.
public final class PolicyFollower: Sendable {
    private let name: String
    private let address: PostgresAddress
    private let patience: Duration
    private let first: String
    private let isOver = Mutex(false)
    private let queue = DispatchQueue(label: "atsgate.policies")
    private let wakeUp = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let onNotice: @Sendable (String) -> Void
    private let onNews: @Sendable (SharedPolicy) -> Void

    /// - Parameters:
    ///   - policy: the version that is known already.
    ///   - patience: for each answer of the server.
    ///   - onNotice: told what people must know, a sentence each; from the follower's queue, as is `onNews`.
    ///   - onNews: given each version that is the newest now and was not before.
    public init(
        of policy: SharedPolicy, at address: PostgresAddress, patience: Duration = .seconds(10),
        onNotice: @escaping @Sendable (String) -> Void, onNews: @escaping @Sendable (SharedPolicy) -> Void
    ) {
        name = policy.name
        first = policy.mark
        self.address = address
        self.patience = patience
        self.onNotice = onNotice
        self.onNews = onNews
    }

    /// Begins. Call once.
    public func begin() { queue.async { self.run() } }

    /// Ends, and waits for that as long as it takes where the server answers, half a second where it does not. Call once.
    public func stop() {
        isOver.withLock { $0 = true }
        wakeUp.signal()
        _ = ended.wait(timeout: .now() + .milliseconds(500))
    }

    // MARK: - On its queue

    private func run() {
        defer { ended.signal() }
        var known = first
        var pause = ShippingPause()
        var isAway = false
        while !mustEnd {
            do {
                let connection = try PostgresConnection(address, as: "atsgate policy", patience: patience)
                let policies = try SharedPolicies(on: connection)
                try connection.run("LISTEN \(Self.channel)")
                if isAway { onNotice("the shared store is asked for policy \(name) again") }
                isAway = false
                pause.reset()
                try follow(policies, on: connection, from: &known)
            } catch {
                if !isAway {
                    onNotice("the policy in force stays: the shared store cannot be asked for policy \(name): \(error)")
                }
                isAway = true
                _ = wakeUp.wait(timeout: .now() + .milliseconds(Int(pause.take() / .milliseconds(1))))
            }
        }
    }

    /// Until it is over.
    private func follow(
        _ policies: SharedPolicies, on connection: PostgresConnection, from known: inout String
    ) throws {
        guard let reference = PolicyReference(name) else { return }
        var isMissing = false
        while !mustEnd {
            let newest = try policies.newest(name)
            if newest == nil, !isMissing {
                onNotice("the policy in force stays: the shared store has no policy \(name) any more")
            }
            isMissing = newest == nil
            if let newest, newest != known, let policy = try policies.policy(reference) {
                known = policy.mark
                onNews(policy)
            }
            try wait(for: connection)
        }
    }

    /// Until somebody tells that the dictionary was pushed, or for two seconds, as what they tell may be lost on the way.
    private func wait(for connection: PostgresConnection) throws {
        let deadline = ContinuousClock.now + betweenLooks
        while !mustEnd, ContinuousClock.now < deadline {
            guard try connection.notification(within: slice) == name else { continue }
            // Those that come together, or are sent to keep gates busy, cost one look.
            let quiet = ContinuousClock.now + together
            while case let left = quiet - .now, left > .zero { _ = try connection.notification(within: left) }
            return
        }
    }

    private var mustEnd: Bool { isOver.withLock { $0 } }

    private static let channel = "atsgate_policies"
}

private let betweenLooks = Duration.seconds(2)
/// How long an end waits for it.
private let slice = Duration.milliseconds(250)
private let together = Duration.milliseconds(100)
