import Dispatch
public import Postgres
import Synchronization

/// Follows the versions of a dictionary in a shared store, on its own queue and connection. If the server is
/// unreachable, the policy stays and the follower tries again until it answers.
public final class PolicyFollower: Sendable {
    private let name: String
    private let address: PostgresAddress
    private let timeout: Duration
    private let first: String
    private let isOver = Mutex(false)
    private let queue = DispatchQueue(label: "atsgate.policies")
    private let wakeUp = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let onNotice: @Sendable (StoreNotice) -> Void
    private let onNews: @Sendable (SharedPolicy) -> Void

    /// - Parameters:
    ///   - policy: the version that is already known.
    ///   - timeout: the timeout for each answer of the server.
    ///   - onNotice: called on the follower's queue, like `onNews`.
    ///   - onNews: receives each version that becomes the newest.
    public init(
        of policy: SharedPolicy, at address: PostgresAddress, timeout: Duration = .seconds(10),
        onNotice: @escaping @Sendable (StoreNotice) -> Void, onNews: @escaping @Sendable (SharedPolicy) -> Void
    ) {
        name = policy.name
        first = policy.mark
        self.address = address
        self.timeout = timeout
        self.onNotice = onNotice
        self.onNews = onNews
    }

    /// Starts following. Call once.
    public func begin() { queue.async { self.run() } }

    /// Stops, and waits until it has ended, for half a second at most. Call once.
    public func stop() {
        isOver.withLock { $0 = true }
        wakeUp.signal()
        _ = ended.wait(timeout: .now() + .milliseconds(500))
    }

    // MARK: - On the queue

    private func run() {
        defer { ended.signal() }
        var known = first
        var pause = ShippingPause()
        var isAway = false
        while !mustEnd {
            do {
                let connection = try PostgresConnection(address, as: "atsgate policy", timeout: timeout)
                let policies = try SharedPolicies(on: connection)
                try connection.run("LISTEN \(Self.channel)")
                if isAway { onNotice(.recovery("reconnected to the shared store for policy \(name)")) }
                isAway = false
                pause.reset()
                try follow(policies, on: connection, from: &known)
            } catch {
                if !isAway {
                    onNotice(
                        .trouble(
                            "the policy in force stays: cannot read policy \(name) from the shared store: \(error)"))
                }
                isAway = true
                _ = wakeUp.wait(timeout: .now() + .milliseconds(Int(pause.take() / .milliseconds(1))))
            }
        }
    }

    /// Follows until the stop.
    private func follow(
        _ policies: SharedPolicies, on connection: PostgresConnection, from known: inout String
    ) throws {
        guard let reference = PolicyReference(name) else { return }
        var isMissing = false
        while !mustEnd {
            let newest = try policies.newest(name)
            if newest == nil, !isMissing {
                onNotice(.trouble("the policy in force stays: the shared store no longer has policy \(name)"))
            }
            isMissing = newest == nil
            if let newest, newest != known, let policy = try policies.policy(reference) {
                known = policy.mark
                onNews(policy)
            }
            try wait(for: connection)
        }
    }

    /// Waits for a notification about the dictionary, or two seconds, because notifications may be lost.
    private func wait(for connection: PostgresConnection) throws {
        let deadline = ContinuousClock.now + betweenLooks
        while !mustEnd, ContinuousClock.now < deadline {
            guard try connection.notification(within: slice) == name else { continue }
            // Merges notifications that arrive together, so that a flood of them costs only one query.
            let quiet = ContinuousClock.now + together
            while case let left = quiet - .now, left > .zero { _ = try connection.notification(within: left) }
            return
        }
    }

    private var mustEnd: Bool { isOver.withLock { $0 } }

    private static let channel = "atsgate_policies"
}

private let betweenLooks = Duration.seconds(2)
/// The longest time that a stop waits for a pending read.
private let slice = Duration.milliseconds(250)
private let together = Duration.milliseconds(100)
