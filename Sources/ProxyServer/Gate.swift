public import ATSPolicy
import Foundation
public import Logging
import NetLoop
import ProxyCore
public import Reporting
import Synchronization
public import TLSEngine

/// The running gate: loops, listeners, and the policy in force.
public final class Gate: Sendable {
    /// The addresses it listens on, with the actual ports.
    public let addresses: [ListenAddress]
    /// The CA that clients should trust.
    public let authority: CertificateAuthority

    private let settings: GateSettings
    let workers: [WorkerLoop]
    private let listeners: [Listener]
    let log: Logger
    let state: Mutex<State>
    private let watcher = Mutex<FileWatcher?>(nil)
    let pulses = Mutex<PulseRound?>(nil)

    /// The policy in force, its sources, and the functions to call after changes. Locked while files are read, so that of two
    /// reloads the last one to read also applies last.
    struct State {
        var inForce: GatePolicy
        var source: PolicySource
        var onChange: [@Sendable (PolicyChange) -> Void] = []
        /// Changes that no observer has seen yet, in the order in which they took effect.
        var unreported: [PolicyChange] = []
        /// True while a thread calls the observers.
        var isReporting = false
    }

    /// One loop with its worker.
    struct WorkerLoop: Sendable {
        let loop: EventLoop
        let worker: LoopLocal<Worker>
    }

    /// Serves an opened gate.
    ///
    /// - Throws: ``GateError``; then everything is stopped and `opening` is closed.
    public init(_ opening: GateOpening, archive: Archive, log: Logger) throws(GateError) {
        settings = opening.settings
        self.log = log
        authority = opening.authority
        listeners = opening.listeners
        addresses = opening.addresses
        state = Mutex(State(inForce: opening.policy, source: opening.source))
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
        let stamps = opening.source.stamps
        guard !stamps.isEmpty else { return }
        watcher.withLock { $0 = FileWatcher(stamps) { [weak self] _ in self?.reload() } }
    }

    /// Changes the sources of the policy, and makes and applies a new one.
    ///
    /// - Parameters:
    ///   - keepsDeclaration: true to enforce the same dictionary without reading it again.
    ///   - report: the change to report, if any, for the name of the dictionary that a reload reads.
    /// - Throws: ``GateError`` if a file cannot be read; then nothing has changed.
    func change(
        keepsDeclaration: Bool = false, _ edit: (inout PolicySource) -> Void,
        reportedAs report: (Result<String, GateError>) -> PolicyChange? = { _ in nil }
    ) throws(GateError) {
        let result: Result<String, GateError> = state.withLock { state in
            var source = state.source
            edit(&source)
            let result: Result<String, GateError>
            do throws(GateError) {
                let policy = try source.load(
                    declaration: keepsDeclaration ? state.inForce.judge.declaration : nil)
                state.source = source
                state.inForce = policy
                apply(policy)
                result = .success(source.name)
            } catch {
                state.source.noteFailure(of: source)
                result = .failure(error)
            }
            watcher.withLock { $0 }?.watch(state.source.stamps)
            if let change = report(result) { state.unreported.append(change) }
            return result
        }
        self.report()
        _ = try result.get()
    }

    private func apply(_ policy: GatePolicy) {
        for member in workers {
            member.loop.submit { loop in member.worker.value(on: loop)?.context.policy = policy }
        }
        remark(on: policy)
    }

    /// Stops accepting, lets loads in flight finish, and calls `done` after the last one or after the timeout.
    public func drain(done: @escaping @Sendable () -> Void) {
        endIntake()
        // Uses its own queue because this blocks, and the loops share the global one.
        DispatchQueue(label: "atsgate.drain").async {
            // After this, every accepted client was submitted to its loop before the drain below.
            self.onEachLoop { _, _, done in done() }.wait()
            let group = self.onEachLoop { worker, loop, done in worker.drain(on: loop, whenEmpty: done) }
            let (seconds, attoseconds) = self.settings.timeouts.drain.components
            _ = group.wait(timeout: .now() + Double(seconds) + Double(attoseconds) * 1e-18)
            self.stop()
            done()
        }
    }

    /// Waits until the archive has the records of all loads that ended before the call. A client has its response
    /// earlier, because a loop files records after each batch. Blocks for `timeout` at most, so it must not run on a
    /// loop.
    ///
    /// - Returns: true if all loops answered in time.
    public func settle(within timeout: Duration) -> Bool {
        // Three turns follow a whole batch of socket events. The inbox is read before the sockets are polled, and again
        // before their events are handled.
        let group = onEachLoop { _, loop, done in loop.submit { loop in loop.submit { _ in done() } } }
        return group.wait(timeout: .now() + .milliseconds(Int(timeout / .milliseconds(1)))) == .success
    }

    /// Records loads in flight as they are and closes everything. Blocks until all loops have stopped.
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
    /// - Returns: a group that is empty when all loops are done.
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

    /// The number of client connections in the middle of a load, a tunnel or a handshake, on all loops.
    public func busyClients() async -> Int { await sum { $0.busyClients } }

    /// The bytes that wait for slow clients and origins, on all loops.
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
            log.warning("\(entry.identity.path) holds a private key and is readable by others: run chmod go-rwx on it")
        }
        guard let path = settings.ctLogs, let time = law.trust.logs?.listTime else { return }
        let review = SCTReview(listTime: time)
        guard TransparencyCheck(by: review, at: Int64(Date().timeIntervalSince1970)) == .counted else { return }
        log.warning("\(path) is 60 days old or more: missing transparency timestamps cause warnings, not blocks")
    }

    private static func openKeyLog(_ settings: GateSettings, log: Logger) throws(GateError) -> KeyLog? {
        guard let path = settings.keyLogPath else { return nil }
        do throws(KeyLogError) {
            let keyLog = try KeyLog(path: path) { log.error("the key log is incomplete from now on: \($0)") }
            log.warning("TLS secrets are written to \(path): anyone who can read it can decrypt the traffic")
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

/// The result of reading a policy while the gate runs.
public enum PolicyChange: Sendable, Hashable {
    /// It is in force now. The value is its name.
    case inForce(String)
    /// It was rejected for this reason; the old policy stays in force.
    case kept(String)
}

/// Control of a running gate, for the live page.
extension Gate {
    /// The dictionary in force.
    public var declaration: Declaration { state.withLock { $0.inForce.judge.declaration } }

    /// True if the dictionary in force was set while the gate ran, and is not that of the policy file.
    public var isReplaced: Bool { state.withLock { $0.source.replacement != nil } }

    /// The release for clients whose release is unknown.
    public var usualProfile: OSProfile { state.withLock { $0.inForce.judge.system } }

    /// The recording that loads are filed under.
    public var recording: String { state.withLock { $0.source.recording } }

    /// Files loads that begin from now on under another recording.
    ///
    /// - Throws: ``GateError`` if files cannot be read again; the old name then stays.
    public func startRecording(_ name: String) throws(GateError) {
        try change(keepsDeclaration: true) { $0.recording = name }
    }

    /// Enforces another dictionary until the policy file changes or a reload is requested.
    ///
    /// - Throws: ``GateError`` if other files cannot be read again; the old policy then stays in force.
    public func enforce(_ declaration: Declaration) throws(GateError) {
        try change {
            $0.replacement = declaration
        } reportedAs: { result in
            if case .success = result { .inForce(declaration.source ?? "an unnamed dictionary") } else { nil }
        }
    }

    /// Reads policy, roots and logs again. If a file is broken, logs that and keeps the old policy.
    public func reload() {
        reload { $0.replacement = nil }
    }

    /// Enforces a dictionary that does not come from a file, and reads the files again.
    ///
    /// - Parameter declaration: the dictionary. If it is an error, this logs it and keeps the old policy.
    public func reload(_ declaration: Result<Declaration, DeclarationError>) {
        switch declaration {
        case .success(let declaration):
            reload {
                $0.standing = declaration
                $0.replacement = nil
            }
        case .failure(let error):
            state.withLock { $0.unreported.append(kept(.policy(error))) }
            report()
        }
    }

    private func reload(_ edit: (inout PolicySource) -> Void) {
        // The error is reported as the result.
        try? change(edit) { result in
            switch result {
            case .success(let name):
                log.notice("policy reloaded", metadata: ["policy": "\(name)"])
                return .inForce(name)
            case .failure(let error): return kept(error)
            }
        }
    }

    private func kept(_ error: GateError) -> PolicyChange {
        log.error("reload failed, the old policy stays in force: \(error.sentence)")
        return .kept(error.sentence)
    }

    /// - Parameter body: called with each change from now on, in the order of the changes, on any thread. It may change the
    ///   policy itself; then that change is reported next.
    public func whenPolicyChanges(_ body: @escaping @Sendable (PolicyChange) -> Void) {
        state.withLock { $0.onChange.append(body) }
    }

    /// Calls the observers with every change that they have not seen. If another thread is doing that, it continues with
    /// those changes.
    func report() {
        guard state.withLock({ $0.beginReporting() }) else { return }
        while let (change, observers) = state.withLock({ $0.takeUnreported() }) {
            for observer in observers { observer(change) }
        }
    }
}

extension Gate.State {
    /// - Returns: false if another thread calls the observers.
    fileprivate mutating func beginReporting() -> Bool {
        defer { isReporting = true }
        return !isReporting
    }

    /// The oldest change that was not reported; nil ends the reporting.
    fileprivate mutating func takeUnreported() -> (PolicyChange, [@Sendable (PolicyChange) -> Void])? {
        isReporting = !unreported.isEmpty
        return isReporting ? (unreported.removeFirst(), onChange) : nil
    }
}
