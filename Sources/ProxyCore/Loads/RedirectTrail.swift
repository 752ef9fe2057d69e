import ATSPolicy
import Bytes
import HTTPWire
import Records
import Synchronization

/// Where redirects of the last seconds led to: tells which load made a client ask for another. Shared by all loops,
/// because a client follows to another origin on a connection of its own.
///
/// Holds at most 64 steps and 256 KiB; while no redirect is fresh, a look costs one read of a number.
public final class RedirectTrail: Sendable {
    private struct Step {
        let client: String
        let place: LoadPlace
        /// URL of the load that was redirected.
        let source: String
        let ticks: Int64

        var bytes: Int {
            client.utf8.count + place.target.host.utf8.count + place.path.utf8.count + source.utf8.count + 128
        }
    }

    private let steps = Mutex<[Step]>([])
    private let budget = ByteBudget(.redirects, limit: 256 << 10)
    /// Ticks until which a step may still be followed.
    private let freshUntil = Atomic<Int64>(.min)

    public init() {}

    /// Takes note that a client was sent from `source` to `place`.
    func note(_ place: LoadPlace, from source: String, client: String, ticks: Int64) {
        steps.withLock { steps in
            while let oldest = steps.first, ticks - oldest.ticks > Self.lifetime { drop(0, of: &steps) }
            let step = Step(client: client, place: place, source: source, ticks: ticks)
            while !steps.isEmpty, steps.count >= Self.limit || !budget.hasRoom(for: step.bytes) { drop(0, of: &steps) }
            guard budget.hasRoom(for: step.bytes) else { return }
            budget.add(step.bytes)
            steps.append(step)
        }
        freshUntil.store(ticks + Self.lifetime, ordering: .relaxed)
    }

    /// Takes note of where an answer sends its client. Source: RFC 9110 sections 10.2.2, 15.4.
    func note(_ head: ResponseHead, of load: Load, in context: SessionContext) {
        guard 300..<400 ~= head.status, head.status != 304, let location = head.fields.value(of: .location) else {
            return
        }
        let here = LoadPlace(target: load.target, path: load.pathText)
        guard let there = LoadPlace(location: location, from: here) else { return }
        note(there, from: here.target.origin + here.path, client: context.place.host, ticks: context.now.ticks)
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
            return index.map { drop($0, of: &steps).source }
        }
    }

    @discardableResult
    private func drop(_ place: Int, of steps: inout [Step]) -> Step {
        let step = steps.remove(at: place)
        budget.add(-step.bytes)
        return step
    }

    private static let limit = 64
    /// Microseconds in which a client has followed, or will not.
    private static let lifetime: Int64 = 10_000_000
}
