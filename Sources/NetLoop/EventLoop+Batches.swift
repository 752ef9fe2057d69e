import CPoll

/// What a loop does when Dispatch wakes it.
extension EventLoop {
    /// Handles batches until nothing has been ready for a moment, but not for ever: others wait for the thread.
    ///
    /// Going back to Dispatch costs two thread switches and six system calls, so the loop waits a little for what the
    /// peers do next. Work that is submitted meanwhile, and timers, have their turn between batches.
    func drain() {
        executor.inbox.enter()
        isAwake = true
        runInbox()
        for _ in 0..<Self.batchesPerWake {
            guard !isStopped, let count = nextBatch() else { break }
            // What was submitted before something happened to a socket is done before that is told.
            runInbox()
            if count > 0 { handleBatch(of: count) }
        }
        batchTime = 0
        isAwake = false
        if !isStopped { spareBlocks.look(on: self) }
        planWake()
        if executor.inbox.leave() { callUp() }
    }

    /// Runs what was submitted, in order.
    private func runInbox() {
        for work in executor.inbox.takeAll() {
            isInBatch = true
            work(self)
            finishBatch()
        }
    }

    /// Takes the next reports; 0 where the inbox comes first. nil when it is time to leave.
    ///
    /// Before it sleeps the loop lets the peers have the processor: what they do then comes as one batch, while a loop
    /// that sleeps is woken for the first of them.
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

    /// Gives an armed timer its place. Costs a system call only when it is the earliest by more than the grid.
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

    /// Wake-ups for timers are this far apart at least, in nanoseconds.
    private static let timerGrid: Int64 = 10_000_000
    /// So far ahead, in nanoseconds, timers that were cancelled or moved are taken out of the way: nobody is woken for
    /// them alone more than four times a second.
    private static let timerForesight: Int64 = 250_000_000
    private static let batchesPerWake = 64
    private static let yieldsBeforeWait = 3
    /// How long a loop that was busy waits on its own thread. Longer gains nothing: what comes later than that comes
    /// too seldom for the way back to Dispatch to matter.
    private static let lingerMilliseconds: Int32 = 1
}

/// Registration, for what lives on a loop. Codes are 0 or a negated errno.
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

/// Closes a descriptor that we own; errors mean it is gone all the same (close(2), Linux).
func closeDescriptor(_ descriptor: Int32) {
    _ = close(descriptor)
}
