import Dispatch

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
