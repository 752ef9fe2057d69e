import Dispatch

/// Runs an event loop's actor on a serial queue.
///
/// The queue targets `.global()`, because a serial queue's own target would give every loop an overcommitted thread
/// and cost more wake-ups. So nothing may block on the global queue, or the loops starve.
final class LoopExecutor: SerialExecutor {
    let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label, target: .global())
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
