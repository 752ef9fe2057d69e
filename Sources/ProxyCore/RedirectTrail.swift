import ATSPolicy
import Synchronization

/// Where redirects of the last seconds led to: tells which load made a client ask for another. Shared by all loops,
/// because a client follows to another origin on a connection of its own.
///
/// Holds at most 64 steps; while no redirect is fresh, a look costs one read of a number.
public final class RedirectTrail: Sendable {
    private struct Step {
        let client: String
        let place: LoadPlace
        /// URL of the load that was redirected.
        let source: String
        let ticks: Int64
    }

    private let steps = Mutex<[Step]>([])
    /// Ticks until which a step may still be followed.
    private let freshUntil = Atomic<Int64>(.min)

    public init() {}

    /// Takes note that a client was sent from `source` to `place`.
    func note(_ place: LoadPlace, from source: String, client: String, ticks: Int64) {
        steps.withLock { steps in
            steps.removeAll { ticks - $0.ticks > Self.lifetime }
            if steps.count >= Self.limit { steps.removeFirst() }
            steps.append(Step(client: client, place: place, source: source, ticks: ticks))
        }
        freshUntil.store(ticks + Self.lifetime, ordering: .relaxed)
    }

    /// Whether a redirect was seen a moment ago.
    func isFresh(at ticks: Int64) -> Bool { freshUntil.load(ordering: .relaxed) >= ticks }

    /// The load that sent this client there; each step is followed once.
    ///
    /// - Parameter path: nil where only the origin can be seen.
    func source(of target: LoadTarget, path: String?, client: String, ticks: Int64) -> String? {
        steps.withLock { steps in
            let index = steps.lastIndex { step in
                ticks - step.ticks <= Self.lifetime && step.place.target == target
                    && (path == nil || step.place.path == path) && step.client == client
            }
            return index.map { steps.remove(at: $0).source }
        }
    }

    private static let limit = 64
    /// Microseconds in which a client has followed, or will not.
    private static let lifetime: Int64 = 10_000_000
}
