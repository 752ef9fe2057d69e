public import ATSPolicy
import Foundation
public import Logging
import NetLoop
import ProxyCore
public import Reporting
import Synchronization
public import TLSEngine

/// The running gate: loops, listeners, and the law that they apply.
public final class Gate: Sendable {
    /// Where it listens, with the real ports.
    public let addresses: [ListenAddress]
    /// The CA that clients are to trust.
    public let authority: CertificateAuthority

    private let settings: GateSettings
    let policyLoader: PolicyLoader
    let workers: [WorkerLoop]
    private let listeners: [Listener]
    private let log: Logger
    private let watcher = Mutex<FileWatcher?>(nil)
    let reloads = Mutex(())
    let inForce: Mutex<GatePolicy>
    let pulses = Mutex<PulseRound?>(nil)
    let onPolicyChange = Mutex<[@Sendable (PolicyChange) -> Void]>([])

    /// One loop with its worker.
    struct WorkerLoop: Sendable {
        let loop: EventLoop
        let worker: LoopLocal<Worker>
    }

    /// Serves what was opened.
    ///
    /// - Throws: ``GateError``; nothing is left running then, and `opening` is closed.
    public init(_ opening: GateOpening, archive: Archive, log: Logger) throws(GateError) {
        settings = opening.settings
        self.log = log
        policyLoader = opening.policyLoader
        authority = opening.authority
        listeners = opening.listeners
        addresses = opening.addresses
        inForce = Mutex(opening.policy)
        do throws(GateError) {
            let keyLog = try Self.openKeyLog(settings, log: log)
            let limits = WorkerLimits(settings, listeners: addresses, log: log)
            workers = try Self.startWorkers(
                opening, limits, archive: archive, keyLog: keyLog, log: log)
        } catch {
            opening.close()
            throw error
        }
        for (address, listener) in zip(addresses, listeners) { serve(listener, at: address) }
        remark(on: opening.policy)
        let stamps = policyLoader.stamps
        guard !stamps.isEmpty else { return }
        watcher.withLock { $0 = FileWatcher(stamps) { [weak self] _ in self?.reload() } }
    }

    /// Reads policy, roots and logs again. A broken file keeps the old law and says so.
    public func reload() {
        // A signal and the watcher may ask at once: who reads last must also be in force last.
        reloads.withLock { _ in
            readAgain()
        }
    }

    /// Enforces what a place that is no file has now, and reads the rest again.
    ///
    /// - Parameter declaration: or why it cannot be read. The old law stays then, and says so.
    public func reload(_ declaration: Result<Declaration, DeclarationError>) {
        reloads.withLock { _ in
            switch declaration {
            case .success(let declaration):
                policyLoader.standing = declaration
                readAgain()
            case .failure(let error): keep(.policy(error))
            }
        }
    }

    private func readAgain() {
        policyLoader.replacement = nil
        do throws(GateError) {
            apply(try policyLoader.load())
            let name = policyLoader.name
            log.notice("policy reloaded", metadata: ["policy": "\(name)"])
            tell(.inForce(name))
        } catch {
            keep(error)
        }
        watcher.withLock { $0 }?.watch(policyLoader.stamps)
    }

    private func keep(_ error: GateError) {
        log.error("reload failed, the old policy stays in force: \(error.sentence)")
        tell(.kept(error.sentence))
    }

    func apply(_ law: GatePolicy) {
        for member in workers {
            member.loop.submit { loop in member.worker.value(on: loop)?.context.policy = law }
        }
        inForce.withLock { $0 = law }
        remark(on: law)
    }

    /// Stops accepting, lets loads in flight finish, and calls `done` once all are over or time is up.
    public func drain(done: @escaping @Sendable () -> Void) {
        endIntake()
        // A queue of its own: the loops share the global one, and this waits.
        DispatchQueue(label: "atsgate.drain").async {
            // Behind this every client that was accepted is on the way to its loop, before what is submitted next.
            self.onEachLoop { _, _, done in done() }.wait()
            let group = self.onEachLoop { worker, loop, done in worker.drain(on: loop, whenEmpty: done) }
            let (seconds, attoseconds) = self.settings.timeouts.drain.components
            _ = group.wait(timeout: .now() + Double(seconds) + Double(attoseconds) * 1e-18)
            self.stop()
            done()
        }
    }

    /// Waits until the archive was given the records of all loads that ended before the call: a loop files those of a batch
    /// behind it, and a client has its answer before. Blocks for `patience` at most: not for loops.
    ///
    /// - Returns: whether all loops answered in time.
    public func settle(within patience: Duration) -> Bool {
        // Only the third turn comes behind a whole batch of what sockets had told by now: the inbox is looked at before
        // the sockets are asked, and again before what they told is handled.
        let group = onEachLoop { _, loop, done in loop.submit { loop in loop.submit { _ in done() } } }
        return group.wait(timeout: .now() + .milliseconds(Int(patience / .milliseconds(1)))) == .success
    }

    /// Records what is in flight as it stands and closes everything. Blocks until all loops have done so.
    public func stop() {
        endIntake()
        let group = DispatchGroup()
        for member in workers {
            group.enter()
            member.loop.submit { loop in
                member.worker.value(on: loop)?.stop(on: loop)
                member.worker.place(nil, on: loop)
                group.leave()
            }
            member.loop.stop()
        }
        group.wait()
    }

    /// - Parameter work: calls its last parameter when it is done.
    /// - Returns: what waits until all are.
    private func onEachLoop(
        _ work: @escaping @Sendable (Worker, isolated EventLoop, @escaping @Sendable () -> Void) -> Void
    ) -> DispatchGroup {
        let group = DispatchGroup()
        for member in workers {
            group.enter()
            member.loop.submit { loop in
                guard let worker = member.worker.value(on: loop) else { return group.leave() }
                work(worker, loop) { group.leave() }
            }
        }
        return group
    }

    /// Client connections in the middle of a load, a tunnel or a handshake, all loops together.
    public func busyClients() async -> Int { await sum { $0.busyClients } }

    /// Bytes that readers, clients and origins, have not taken yet, all loops together.
    public func waitingBytes() async -> Int { await sum { $0.context.outboxes.held } }

    private func sum(_ part: @escaping @Sendable (Worker) -> Int) async -> Int {
        var sum = 0
        for member in workers {
            sum += await withCheckedContinuation { continuation in
                member.loop.submit { loop in
                    continuation.resume(returning: member.worker.value(on: loop).map(part) ?? 0)
                }
            }
        }
        return sum
    }

    private func endIntake() {
        for listener in listeners { listener.stop() }
        watcher.withLock { $0 = nil }
    }

    private func serve(_ listener: Listener, at address: ListenAddress) {
        let workers = self.workers
        let log = self.log
        let throttle = WarningThrottle()
        listener.start(
            loops: workers.map(\.loop),
            exhausted: { errno in
                for member in workers {
                    member.loop.submit { loop in
                        member.worker.value(on: loop)?.makeRoom(
                            closing: DescriptorReserve.closedWhenExhausted, on: loop)
                    }
                }
                guard throttle.mayWarn() else { return }
                log.error("no descriptors left for new clients (errno \(errno)): they wait; raise ulimit -n")
            },
            accepted: { descriptor, peer, loop in
                guard let worker = workers[loop.index].worker.value(on: loop) else {
                    return ByteStream(descriptor: descriptor, handler: nil, peerAddress: peer).close(on: loop)
                }
                worker.accept(descriptor, peer: peer, from: address, on: loop)
            })
    }

    private func remark(on law: GatePolicy) {
        for entry in law.identities.entries where entry.identity.isExposed {
            log.warning("\(entry.identity.path) holds a private key and is open to others: chmod go-rwx it")
        }
        guard let path = settings.ctLogs, let time = law.trust.logs?.listTime else { return }
        let review = SCTReview(listTime: time)
        guard TransparencyCheck(by: review, at: Int64(Date().timeIntervalSince1970)) == .counted else { return }
        log.warning("\(path) is 60 days old or more: missing transparency timestamps are warned about, not refused")
    }

    private static func openKeyLog(_ settings: GateSettings, log: Logger) throws(GateError) -> KeyLog? {
        guard let path = settings.keyLogPath else { return nil }
        do throws(KeyLogError) {
            let keyLog = try KeyLog(path: path) { log.error("the key log lacks lines from now on: \($0)") }
            log.warning("TLS secrets are written to \(path): everybody who reads it can read the traffic")
            return keyLog
        } catch {
            throw .keyLog(error)
        }
    }

    private static func startWorkers(
        _ opening: GateOpening, _ limits: WorkerLimits, archive: Archive, keyLog: KeyLog?, log: Logger
    ) throws(GateError) -> [WorkerLoop] {
        let settings = opening.settings
        let count = settings.loops > 0 ? settings.loops : ProcessInfo.processInfo.activeProcessorCount
        let memory = GateMemory(
            pinning: PinningWatch(isOn: settings.autoPassthrough) { log.warning("\($0)") })
        let now = Int64(Date().timeIntervalSince1970)
        let untrusted: CertificateAuthority
        do throws(CertificateAuthorityError) {
            untrusted = try CertificateAuthority.ephemeral(commonName: "atsgate refused", now: now)
        } catch {
            throw .authority(error)
        }
        let clientContext: ClientTLSContext
        do throws(TLSSetupError) {
            clientContext = try ClientTLSContext(keyLog: keyLog)
        } catch {
            throw .tls(error)
        }
        let parts = WorkerParts(
            opening: opening, untrusted: untrusted, clientContext: clientContext, memory: memory, keyLog: keyLog,
            outboxBytes: settings.outboxBytes / count, resolver: Resolver(), limits: limits, archive: archive)
        var workers: [WorkerLoop] = []
        for index in 0..<count {
            do throws(NetError) {
                workers.append(try parts.start(index))
            } catch {
                for member in workers { member.loop.stop() }
                throw .loop(error)
            }
        }
        return workers
    }
}
