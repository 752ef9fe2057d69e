import Synchronization

/// Work that other threads submit to a loop, in order, and the state that decides how to wake the loop.
///
/// An awake loop checks the inbox anyway, so submitting costs only a lock. A loop that waits for its sockets is woken
/// by the bell. Only an idle loop must be scheduled through Dispatch, which takes two thread switches and about six
/// system calls.
final class LoopInbox: Sendable {
    typealias Work = @Sendable (isolated EventLoop) -> Void

    /// The loop's next step when no socket is ready.
    enum WaitMode { case wait, look, leave }

    private enum Phase {
        /// The loop must be called to check the inbox.
        case away
        /// The loop was called and will run soon.
        case called
        /// The loop is awake and checks the inbox before it waits or leaves.
        case awake
        /// The loop waits for readiness; the bell wakes it.
        case waiting
    }

    private struct State {
        var work: [Work] = []
        /// Jobs of the actor that wait for the loop's queue, which is busy while the loop is awake.
        var jobs = 0
        var phase = Phase.away
    }

    private let state = Mutex(State())
    private let bell: Bell

    init(bell: Bell) { self.bell = bell }

    /// - Returns: true if the caller must call the loop.
    func put(_ work: @escaping Work) -> Bool {
        state.withLock { state in
            state.work.append(work)
            return wake(&state)
        }
    }

    /// Counts a queued job of the actor. An awake loop leaves its queue for it.
    func jobQueued() {
        state.withLock { state in
            state.jobs += 1
            if state.phase == .waiting { _ = wake(&state) }
        }
    }

    func jobBegan() {
        state.withLock { $0.jobs -= 1 }
    }

    /// Marks the loop as awake until ``leave()``.
    func enter() {
        state.withLock { $0.phase = .awake }
    }

    /// Removes and returns all work, oldest first.
    func takeAll() -> [Work] {
        state.withLock { state in
            defer { state.work = [] }
            return state.work
        }
    }

    /// Returns the loop's next step. After `.wait`, call ``endWait()``.
    func beginWait() -> WaitMode {
        state.withLock { state in
            if state.jobs > 0 { return .leave }
            if !state.work.isEmpty { return .look }
            state.phase = .waiting
            return .wait
        }
    }

    func endWait() {
        state.withLock { $0.phase = .awake }
    }

    /// - Returns: true if work arrived in the meantime and the loop must be called again.
    func leave() -> Bool {
        state.withLock { state in
            state.phase = state.work.isEmpty ? .away : .called
            return state.phase == .called
        }
    }

    /// Wakes the loop. Rings while the lock is held: the waiting loop cannot end before that, so the bell's descriptor
    /// is still its own.
    private func wake(_ state: inout State) -> Bool {
        switch state.phase {
        case .away:
            state.phase = .called
            return true
        case .waiting:
            state.phase = .awake
            bell.ring()
        case .called, .awake: break
        }
        return false
    }
}
