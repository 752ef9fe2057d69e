import CPoll
public import Dispatch

/// An actor whose connections share one poll set, watched by one Dispatch source. Runs on one thread at a time.
///
/// Methods with an `isolated EventLoop` parameter run without a hop. Other threads enter through ``submit(_:)``. A loop
/// lives until ``stop()``.
public actor EventLoop {
    public nonisolated let index: Int
    nonisolated let executor: LoopExecutor
    let poll: PollSet
    let timers = TimerHeap()
    let pipes = PipePool()
    // Unchecked: a target is called only after its look-up has returned, and a released target never calls the table.
    @exclusivity(unchecked) var slots = SlotTable()
    /// Nanoseconds; 0 outside a batch. Within a batch the clock is read once.
    var batchTime: Int64 = 0
    /// The next wake-up of the Dispatch timer, in nanoseconds.
    var plannedWake = Int64.max
    var isInBatch = false
    /// True within ``drain()``, which plans the next wake-up at its end.
    var isAwake = false
    /// The number of reports in the current batch.
    var batchSize = 0
    private(set) var isStopped = false
    let spareBlocks = SpareBlocks()
    private let scratch = ReadScratch(byteCount: EventLoop.scratchBytes)
    // Unchecked: each closure is copied from the list before it runs, and may append to the list.
    @exclusivity(unchecked) private var leftovers: [() -> Void] = []
    private let pollSource: ReadinessSource
    private let timerSource: ReadinessSource

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter quality: lower than the default for loops that must not delay others.
    /// - Throws: ``NetError`` if the system has no descriptor for the poll set.
    public init(index: Int, quality: DispatchQoS.QoSClass = .default) throws(NetError) {
        self.index = index
        poll = try PollSet()
        executor = LoopExecutor(label: "atsgate.loop.\(index)", quality, bell: poll.bell)
        let reading = ReadinessSource(reading: poll.descriptor, on: executor.queue, ended: poll.closing)
        let ticking = ReadinessSource(timerOn: executor.queue)
        pollSource = reading
        timerSource = ticking
        // Both handlers retain the loop until `stop` ends their sources.
        reading.start { self.assumeIsolated { $0.drain() } }
        ticking.start { self.assumeIsolated { $0.fireTimers() } }
    }

    /// Runs work on the loop, in the order submitted. This is the only way in from other threads.
    public nonisolated func submit(_ work: @escaping @Sendable (isolated EventLoop) -> Void) {
        if executor.inbox.put(work) { scheduleDrain() }
    }

    /// Schedules a ``drain()``.
    nonisolated func scheduleDrain() {
        executor.queue.async { self.assumeIsolated { $0.drain() } }
    }

    /// Closes every stream without calling its handler, cancels timers and dials, and releases the loop.
    ///
    /// Work submitted before runs first. Work submitted afterwards still runs, but attaching then throws.
    public nonisolated func stop() {
        submit { $0.shutDown() }
    }

    /// The read buffer shared by all streams of the loop. Valid until the running callback returns.
    public var readScratch: UnsafeMutableRawBufferPointer { scratch.bytes }

    /// The monotonic clock, in nanoseconds. It is Dispatch's clock, which stops while the machine sleeps.
    public nonisolated static func monotonicNanoseconds() -> Int64 {
        Int64(truncatingIfNeeded: DispatchTime.now().uptimeNanoseconds)
    }

    /// The time of the current batch, or the clock outside of one. In nanoseconds.
    public var now: Int64 { batchTime != 0 ? batchTime : Self.monotonicNanoseconds() }

    /// Runs `work` once after the current batch of events, or soon if there is no batch.
    ///
    /// Work added by `work` runs in the same pass. The closure runs on the loop: capture your own `isolated` parameter
    /// (in Swift 6.3 a closure with such a parameter cannot capture values that live on a loop).
    public func afterBatch(_ work: @escaping () -> Void) {
        leftovers.append(work)
        if !isInBatch, leftovers.count == 1 { submit { _ in } }
    }

    func finishBatch() {
        var index = 0
        while index < leftovers.count {
            leftovers[index]()
            index += 1
        }
        leftovers.removeAll(keepingCapacity: true)
        isInBatch = false
    }

    func setAlarm(at time: Int64) {
        plannedWake = time
        let deadline = DispatchTime(uptimeNanoseconds: UInt64(max(1, time)))
        timerSource.schedule(at: deadline, leeway: Self.timerLeeway)
    }

    private func shutDown() {
        guard !isStopped else { return }
        isStopped = true
        for target in slots.targets { target.loopStopped(on: self) }
        timers.removeAll()
        spareBlocks.end()
        pollSource.end()
        timerSource.end()
    }

    /// The size of one read. Measured on bulk relaying: smaller buffers cost CPU, larger ones gain nothing.
    private static let scratchBytes = 65_536
    private static let timerLeeway = DispatchTimeInterval.milliseconds(5)
}

/// Owns a loop's read buffer.
private final class ReadScratch {
    let bytes: UnsafeMutableRawBufferPointer

    init(byteCount: Int) {
        bytes = .allocate(byteCount: byteCount, alignment: 4_096)
    }

    deinit { bytes.deallocate() }
}

/// The work of a loop after Dispatch wakes it.
extension EventLoop {
    /// Handles batches until no socket has been ready for a moment, or ``batchesPerWake`` batches ran.
    ///
    /// Returning to Dispatch costs two thread switches and six system calls, so the loop first waits a little for more
    /// events. Between batches it runs submitted work and timers.
    func drain() {
        executor.inbox.enter()
        isAwake = true
        runInbox()
        for _ in 0..<Self.batchesPerWake {
            guard !isStopped, let count = nextBatch() else { break }
            // Work that was submitted before a socket event runs before the event is handled.
            runInbox()
            if count > 0 { handleBatch(of: count) }
        }
        batchTime = 0
        isAwake = false
        if !isStopped { spareBlocks.look(on: self) }
        planWake()
        if executor.inbox.leave() { scheduleDrain() }
    }

    /// Runs submitted work in order.
    private func runInbox() {
        for work in executor.inbox.takeAll() {
            isInBatch = true
            work(self)
            finishBatch()
        }
    }

    /// Returns the size of the next batch; 0 if the inbox has work, nil if the loop should return to Dispatch.
    ///
    /// Before it waits, the loop yields the processor to its peers, so that their events arrive as one batch. A
    /// sleeping loop would wake for the first of them.
    private func nextBatch() -> Int? {
        for look in 0...Self.yieldsBeforeWait {
            if look > 0 { sched_yield() }
            let count = poll.take()
            if count > 0 { return count }
        }
        switch executor.inbox.beginWait() {
        case .leave: return nil
        case .look: return poll.take()
        case .wait:
            let count = poll.take(waiting: Self.lingerMilliseconds)
            executor.inbox.endWait()
            return count > 0 ? count : nil
        }
    }

    private func handleBatch(of count: Int) {
        batchTime = Self.monotonicNanoseconds()
        batchSize = count
        isInBatch = true
        for index in 0..<count {
            let report = poll.report(index)
            slots.target(of: report.token)?.ready(report.readiness, on: self)
        }
        finishBatch()
        if let look = timers.nextLook, look <= batchTime { fireDue(at: batchTime) }
    }

    func fireTimers() {
        plannedWake = .max
        fireDue(at: Self.monotonicNanoseconds())
        planWake()
    }

    private func fireDue(at now: Int64) {
        isInBatch = true
        while let node = timers.popDue(at: now) {
            let fire = node.fire
            node.due = TimerNode.idle
            fire?()
        }
        finishBatch()
        timers.settle(before: now + Self.timerForesight)
    }

    /// Adds or moves an armed timer. Makes a system call only if the timer is the earliest by more than ``timerGrid``.
    func plan(_ node: TimerNode) {
        guard !isStopped, node.due != TimerNode.idle else {
            node.due = TimerNode.idle
            return
        }
        if !node.isQueued {
            timers.insert(node)
        } else if node.due < node.key {
            timers.hasten(node)
        } else {
            return
        }
        if !isAwake { planWake() }
    }

    private func planWake() {
        guard !isStopped, let look = timers.nextLook else { return }
        let wake = look > .max - Self.timerGrid ? look : (look / Self.timerGrid + 1) * Self.timerGrid
        if wake < plannedWake { setAlarm(at: wake) }
    }

    /// The minimum distance between wake-ups for timers, in nanoseconds.
    private static let timerGrid: Int64 = 10_000_000
    /// Cancelled and moved timers are removed this far ahead, in nanoseconds, so that they alone wake a loop at most
    /// four times a second.
    private static let timerForesight: Int64 = 250_000_000
    private static let batchesPerWake = 64
    private static let yieldsBeforeWait = 3
    /// The time that a busy loop waits on its own thread. A longer wait gains nothing: rarer events make the way back
    /// to Dispatch cheap enough.
    private static let lingerMilliseconds: Int32 = 1
}

/// Registration of targets and descriptors. Codes are 0 or a negated errno.
extension EventLoop {
    func adopt(_ target: any PollTarget) throws(NetError) -> PollToken {
        guard !isStopped else { throw .stopped }
        return slots.insert(target)
    }

    func release(_ token: PollToken) {
        slots.remove(token)
    }

    func watch(_ descriptor: Int32, as token: PollToken, for interest: Readiness) -> Int32 {
        cpoll_add(poll.descriptor, descriptor, token.packed, interest.rawValue)
    }

    func change(_ descriptor: Int32, as token: PollToken, from old: Readiness, to new: Readiness) -> Int32 {
        cpoll_change(poll.descriptor, descriptor, token.packed, old.rawValue, new.rawValue)
    }

    func unwatch(_ descriptor: Int32, interest: Readiness) {
        _ = cpoll_remove(poll.descriptor, descriptor, interest.rawValue)
    }
}

/// Closes a descriptor that we own. After an error it is closed, too (close(2), Linux).
func closeDescriptor(_ descriptor: Int32) {
    _ = close(descriptor)
}

/// Runs an event loop's actor on a serial queue.
///
/// The queue targets `.global()`, because the default target of a serial queue would give every loop an overcommitted
/// thread and cost more wake-ups. Therefore no code may block on the global queue, or the loops starve.
final class LoopExecutor: SerialExecutor {
    let queue: DispatchQueue
    let inbox: LoopInbox

    init(label: String, _ quality: DispatchQoS.QoSClass, bell: Bell) {
        queue = DispatchQueue(label: label, target: .global(qos: quality))
        inbox = LoopInbox(bell: bell)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        inbox.jobQueued()
        queue.async {
            self.inbox.jobBegan()
            job.runSynchronously(on: self.asUnownedSerialExecutor())
        }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}

/// A value that belongs to one event loop, in a box that closures on other threads can hold.
// Unchecked: the compiler cannot see that all access checks that it runs on the owning loop. So no two threads ever
// access the value.
public final class LoopLocal<Value>: @unchecked Sendable {
    private let owner: EventLoop
    private var held: Value?

    /// - Parameter owner: the only loop that may set or read the value.
    public init(_ owner: EventLoop) {
        self.owner = owner
    }

    /// Sets the value. Before that, ``value(on:)`` is nil.
    public func place(_ value: Value?, on loop: isolated EventLoop) {
        precondition(loop === owner, "a loop's value was used on another loop")
        held = value
    }

    /// Returns the value, on the loop that owns it. Traps on another loop, which is a programming error.
    public func value(on loop: isolated EventLoop) -> Value? {
        precondition(loop === owner, "a loop's value was used on another loop")
        return held
    }
}
