import CPoll
public import Dispatch

/// Turns process signals into calls of a closure, in place of their default action.
///
/// Watch a signal once per process. After ``stop()`` a signal does nothing (macOS) or what libdispatch leaves it to
/// (Linux), where watched signals are also blocked in threads: a child must be started with an empty signal mask.
public final class SignalWatcher: Sendable {
    private let sources: [ReadinessSource]

    /// - Parameters:
    ///   - signals: `SIGHUP`, `SIGTERM` and so on.
    ///   - queue: where `received` runs.
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
