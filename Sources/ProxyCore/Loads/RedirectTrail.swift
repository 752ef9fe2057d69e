import ATSPolicy
import Bytes
import HTTPWire
import Records
import Synchronization

/// The redirects of the last seconds, to find the load that sent a client to another one. Shared by all loops, because
/// a client follows a redirect to another origin on another connection.
///
/// Holds at most 64 steps and 256 KiB. If no redirect is recent, a lookup costs one atomic read.
public final class RedirectTrail: Sendable {
    private struct Step {
        let client: String
        let place: LoadAddress
        /// URL of the load that was redirected.
        let source: String
        let ticks: Int64

        var bytes: Int {
            client.utf8.count + place.target.host.utf8.count + place.path.utf8.count + source.utf8.count + 128
        }
    }

    private let steps = Mutex<[Step]>([])
    private let budget = ByteBudget(.redirects, limit: 256 << 10)
    /// The ticks until which the latest step may be followed.
    private let freshUntil = Atomic<Int64>(.min)

    public init() {}

    /// Notes that a client was redirected from `source` to `place`.
    func note(_ place: LoadAddress, from source: String, client: String, ticks: Int64) {
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

    /// Notes the redirect in a response, if any. Source: RFC 9110 sections 10.2.2, 15.4.
    func note(_ head: ResponseHead, of load: Load, in context: SessionContext) {
        guard 300..<400 ~= head.status, head.status != 304, let location = head.fields.value(of: .location) else {
            return
        }
        let here = LoadAddress(target: load.target, path: load.pathText)
        guard let there = LoadAddress(location: location, from: here) else { return }
        note(there, from: here.target.origin + here.path, client: context.place.host, ticks: context.now.ticks)
    }

    /// True if a redirect was seen recently.
    func isFresh(at ticks: Int64) -> Bool { freshUntil.load(ordering: .relaxed) >= ticks }

    /// Returns the load that redirected this client to the target. Each step is followed once.
    ///
    /// - Parameter path: nil if only the target is known.
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
    /// The time in which clients follow a redirect, in microseconds.
    private static let lifetime: Int64 = 10_000_000
}
