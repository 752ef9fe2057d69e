import CPoll
public import Dispatch

/// Calls a closure for process signals, instead of their default action.
///
/// Watch a signal once per process. After ``stop()`` a signal has no effect (macOS), or the one that libdispatch leaves
/// (Linux). On Linux watched signals are also blocked in threads: start children with an empty signal mask.
public final class SignalWatcher: Sendable {
    private let sources: [ReadinessSource]

    /// - Parameters:
    ///   - signals: `SIGHUP`, `SIGTERM` and so on.
    ///   - queue: the queue on which `received` runs.
    public init(
        _ signals: [Int32], on queue: DispatchQueue = DispatchQueue(label: "atsgate.signals"),
        received: @escaping @Sendable (_ signal: Int32) -> Void
    ) {
        sources = signals.map { number in
            cpoll_disarm_signal(number)
            let source = ReadinessSource(signal: number, on: queue)
            source.start { received(number) }
            return source
        }
    }

    deinit { stop() }

    public func stop() {
        for source in sources { source.end() }
    }
}
