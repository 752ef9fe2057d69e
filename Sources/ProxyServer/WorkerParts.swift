import NetLoop
import ProxyCore
import Reporting
import TLSEngine

/// What all workers of a gate share, and how one of them begins.
struct WorkerParts: Sendable {
    let opening: GateOpening
    /// Signs what clients of an untrusted origin are shown.
    let untrusted: CertificateAuthority
    let clientContext: ClientTLSContext
    let memory: GateMemory
    let keyLog: KeyLog?
    /// What the outboxes of one worker's sessions may hold together.
    let outboxBytes: Int
    let resolver: Resolver
    let limits: WorkerLimits
    let archive: Archive

    /// Starts a loop with a worker on it.
    ///
    /// - Throws: ``NetError`` where the system refuses the loop.
    func start(_ index: Int) throws(NetError) -> Gate.WorkerLoop {
        let loop = try EventLoop(index: index)
        let own = LoopLocal<Worker>(loop)
        loop.submit { loop in own.place(worker(own), on: loop) }
        return Gate.WorkerLoop(loop: loop, worker: own)
    }

    private func worker(_ own: LoopLocal<Worker>) -> Worker {
        let settings = opening.settings
        let context = LoopContext(
            policy: opening.policy, authority: opening.authority, untrusted: untrusted, clientContext: clientContext,
            memory: memory, keyLog: keyLog, outboxes: OutboxBudget(bytes: outboxBytes), identifiers: TaskNames().next)
        context.ownSite = opening.ownSite
        return Worker(
            context: context, dialer: Dialer(resolver: resolver),
            names: NameComparison(resolver: resolver, book: settings.addressBook), settings: settings, limits: limits,
            archive: archive, own: own)
    }
}
