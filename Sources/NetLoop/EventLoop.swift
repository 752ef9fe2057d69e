public import Dispatch

/// A thread's worth of connections: an actor whose sockets share one poll set, watched by one Dispatch source.
///
/// Every method with an `isolated EventLoop` parameter runs without a hop. Whoever is not on the loop enters through
/// ``submit(_:)``. A loop lives until ``stop()``.
public actor EventLoop {
    public nonisolated let index: Int
    nonisolated let executor: LoopExecutor
    let poll: PollSet
    let timers = TimerHeap()
    let pipes = PipePool()
    // Unchecked: who a token names is told only after the look-up, and what a slot lets go of never comes back to the
    // table.
    @exclusivity(unchecked) var slots = SlotTable()
    /// Nanoseconds; 0 outside a batch. Within a batch one reading of the clock is good enough.
    var batchTime: Int64 = 0
    /// When the Dispatch timer will wake us, in nanoseconds.
    var plannedWake = Int64.max
    var isInBatch = false
    /// In ``drain()``, at whose end the timers are looked at anyhow.
    var isAwake = false
    /// Reports of the current batch.
    var batchSize = 0
    private(set) var isStopped = false
    let spareBlocks = SpareBlocks()
    private let scratch = ReadScratch(byteCount: EventLoop.scratchBytes)
    // Unchecked: work is taken out of the list before it runs, and may then add to it.
    @exclusivity(unchecked) private var leftovers: [() -> Void] = []
    private let pollSource: ReadinessSource
    private let timerSource: ReadinessSource

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter quality: lower than the usual for loops that others are not to wait for.
    /// - Throws: ``NetError`` when the system grants no descriptor for the poll set.
    public init(index: Int, quality: DispatchQoS.QoSClass = .default) throws(NetError) {
        self.index = index
        poll = try PollSet()
        executor = LoopExecutor(label: "atsgate.loop.\(index)", quality, bell: poll.bell)
        let reading = ReadinessSource(reading: poll.descriptor, on: executor.queue, ended: poll.closing)
        let ticking = ReadinessSource(timerOn: executor.queue)
        pollSource = reading
        timerSource = ticking
        // Both handlers hold the loop until `stop` ends their sources.
        reading.start { self.assumeIsolated { $0.drain() } }
        ticking.start { self.assumeIsolated { $0.fireTimers() } }
    }

    /// The only way in from other threads. Work runs in the order submitted.
    public nonisolated func submit(_ work: @escaping @Sendable (isolated EventLoop) -> Void) {
        if executor.inbox.put(work) { callUp() }
    }

    /// Lets the loop look into its inbox, soon.
    nonisolated func callUp() {
        executor.queue.async { self.assumeIsolated { $0.drain() } }
    }

    /// Closes every stream without telling its handler, cancels timers and dials, and lets the loop go.
    ///
    /// Work submitted earlier still runs before, work submitted later still runs after; attaching then throws.
    public nonisolated func stop() {
        submit { $0.shutDown() }
    }

    /// Memory that every stream of the loop reads into. Valid until the running callback returns.
    public var readScratch: UnsafeMutableRawBufferPointer { scratch.bytes }

    /// The monotonic clock, in nanoseconds: Dispatch's own, which stands still while the machine sleeps.
    public nonisolated static func monotonicNanoseconds() -> Int64 {
        Int64(truncatingIfNeeded: DispatchTime.now().uptimeNanoseconds)
    }

    /// The time of the current batch, or the clock outside of one. In nanoseconds.
    public var now: Int64 { batchTime != 0 ? batchTime : Self.monotonicNanoseconds() }

    /// Runs `work` once after the current batch of events; soon, when there is no batch.
    ///
    /// Work added meanwhile runs in the same pass. The closure runs on the loop: capture your own `isolated` parameter
    /// (Swift 6.3 lets a closure with a parameter of that kind capture nothing that lives on a loop).
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

    /// One read at a time. Measured on bulk relaying: smaller buffers cost CPU, larger ones gain nothing.
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
