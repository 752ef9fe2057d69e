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
