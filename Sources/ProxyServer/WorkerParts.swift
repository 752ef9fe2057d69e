import NetLoop
import ProxyCore
import Reporting
import TLSEngine

/// The parts that all workers of a gate share. Starts workers.
struct WorkerParts: Sendable {
    let opening: GateOpening
    /// Signs the leafs for clients whose load is refused.
    let untrusted: CertificateAuthority
    let clientContext: ClientTLSContext
    let memory: GateMemory
    let keyLog: KeyLog?
    /// The bytes that may wait in the outboxes of one worker's sessions together.
    let outboxBytes: Int
    let resolver: Resolver
    let limits: WorkerLimits
    let archive: Archive

    /// Starts a loop with a worker on it.
    ///
    /// - Throws: ``NetError`` if the system cannot create the loop.
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
            context: context, dialer: Dialer(resolver: resolver), settings: settings, limits: limits, archive: archive,
            own: own)
    }
}
