import CPoll

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
