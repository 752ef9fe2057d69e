import ATSPolicy
import Dialing
public import NetLoop
import OriginHandshake

/// Probes origins as a device would, on one event loop. Runs until ``stop()`` or until it is released.
public final class Prober: Sendable {
    public let settings: ProbeSettings
    private let loop: EventLoop
    private let resolver: any NameResolving
    private let dialer: Dialer
    private let origins: LoopLocal<OriginTLS>

    /// - Throws: ``NetError`` if the system grants no descriptor.
    public init(_ settings: ProbeSettings, resolver: any NameResolving = Resolver()) throws(NetError) {
        let loop = try EventLoop(index: 0)
        let origins = LoopLocal<OriginTLS>(loop)
        self.settings = settings
        self.loop = loop
        self.resolver = resolver
        self.origins = origins
        dialer = Dialer(resolver: resolver)
        loop.submit { origins.place(OriginTLS(), on: $0) }
    }

    deinit { stop() }

    /// May be called repeatedly. Pending probes are never answered.
    public func stop() { loop.stop() }

    /// The plans to try for an origin: one for each address. One for all if a parent proxy resolves the name, the
    /// lookup fails, or only the first address is wanted.
    func ways(to target: LoadTarget) async -> [DialPlan] {
        let plan = settings.planner.plan(to: target, isInTunnel: true)
        guard settings.addresses == .all, plan.parent == nil else { return [plan] }
        let answer = await withCheckedContinuation { continuation in
            if case .known(let answer) = resolver.answer(
                for: plan.first.host, later: { continuation.resume(returning: $0) })
            {
                continuation.resume(returning: answer)
            }
        }
        guard case .addresses(let addresses) = answer else { return [plan] }
        return addresses.map { plan.over($0.description) }
    }

    /// Dials and performs the handshake; for http, only dials.
    func answer(to order: ProbeOrder) async -> ProbeAnswer {
        await withCheckedContinuation { continuation in
            let (settings, dialer, origins) = (settings, dialer, origins)
            loop.submit { loop in
                guard let tls = origins.value(on: loop) else { return }
                let probe = OriginProbe(order, settings, dialer: dialer, origins: tls) {
                    continuation.resume(returning: $0)
                }
                probe.connect(on: loop)
            }
        }
    }
}
