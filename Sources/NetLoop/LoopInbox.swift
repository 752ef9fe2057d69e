import Synchronization

/// Work that other threads hand to a loop, in order, and whether the loop has to be called for it.
///
/// A loop that is awake looks for itself, so that handing work over costs nothing but a lock; one that waits for its
/// sockets meanwhile hears the bell; only one that is away has to be called through Dispatch, which takes two thread
/// switches and some six system calls.
final class LoopInbox: Sendable {
    typealias Work = @Sendable (isolated EventLoop) -> Void

    /// What a loop may do until there is something to do.
    enum Patience { case wait, look, leave }

    private enum Phase {
        /// Nobody will look unless called.
        case away
        /// The call is under way.
        case called
        /// The loop is awake and will look before it waits or leaves.
        case awake
        /// The loop waits for readiness: the bell wakes it.
        case waiting
    }

    private struct State {
        var work: [Work] = []
        /// Jobs of the actor that wait for the loop's queue, which is not free while the loop is awake.
        var jobs = 0
        var phase = Phase.away
    }

    private let state = Mutex(State())
    private let bell: Bell

    init(bell: Bell) { self.bell = bell }

    /// - Returns: whether the loop has to be called.
    func put(_ work: @escaping Work) -> Bool {
        state.withLock { state in
            state.work.append(work)
            return wake(&state)
        }
    }

    /// A job of the actor was queued, which makes an awake loop step back.
    func jobQueued() {
        state.withLock { state in
            state.jobs += 1
            if state.phase == .waiting { _ = wake(&state) }
        }
    }

    func jobBegan() {
        state.withLock { $0.jobs -= 1 }
    }

    /// The loop is awake from here to ``leave()``.
    func enter() {
        state.withLock { $0.phase = .awake }
    }

    /// Everything that has come, the oldest first.
    func takeAll() -> [Work] {
        state.withLock { state in
            defer { state.work = [] }
            return state.work
        }
    }

    /// To be followed by ``endWait()`` where the answer is to wait.
    func beginWait() -> Patience {
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

    /// - Returns: whether the loop has to be called again, for what came last.
    func leave() -> Bool {
        state.withLock { state in
            state.phase = state.work.isEmpty ? .away : .called
            return state.phase == .called
        }
    }

    /// Rings while the lock is held: the loop that waits can not be gone before, nor its bell be somebody else's file.
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
