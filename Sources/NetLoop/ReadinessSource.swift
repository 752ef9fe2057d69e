package import Dispatch
import Synchronization

/// Owns a Dispatch source of any kind.
///
/// libdispatch traps if a source is released before it was activated, and a descriptor must not be closed before the
/// source's cancel handler has run. This class enforces both.
package final class ReadinessSource: Sendable {
    private enum Phase { case made, running, ended }

    /// Three cases, because values of their common protocol are not Sendable.
    private enum Source {
        case reading(any DispatchSourceRead)
        case timer(any DispatchSourceTimer)
        case signal(any DispatchSourceSignal)

        var any: any DispatchSourceProtocol {
            switch self {
            case .reading(let source): source
            case .timer(let source): source
            case .signal(let source): source
            }
        }
    }

    private struct State {
        let source: Source
        var phase = Phase.made
    }

    private let state: Mutex<State>

    /// Creates a source that fires while a descriptor is readable.
    ///
    /// - Parameter ended: runs once after the last event, on `queue`. Close the descriptor there.
    package init(reading descriptor: Int32, on queue: DispatchQueue, ended: @escaping @Sendable () -> Void) {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setCancelHandler(handler: ended)
        state = Mutex(State(source: .reading(source)))
    }

    /// Creates a timer that fires at the times set by ``schedule(at:repeating:leeway:)``.
    init(timerOn queue: DispatchQueue) {
        let source = DispatchSource.makeTimerSource(queue: queue)
        source.schedule(deadline: .distantFuture)
        state = Mutex(State(source: .timer(source)))
    }

    init(signal number: Int32, on queue: DispatchQueue) {
        state = Mutex(State(source: .signal(DispatchSource.makeSignalSource(signal: number, queue: queue))))
    }

    deinit { end() }

    /// Starts delivering events. The handler is released after ``end()``. Only the first call counts.
    package func start(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { state in
            guard state.phase == .made else { return }
            state.source.any.setEventHandler(handler: handler)
            state.source.any.activate()
            state.phase = .running
        }
    }

    /// Replaces the next time at which a timer fires.
    func schedule(at deadline: DispatchTime, repeating: DispatchTimeInterval = .never, leeway: DispatchTimeInterval) {
        state.withLock { state in
            guard case .timer(let timer) = state.source else { return }
            timer.schedule(deadline: deadline, repeating: repeating, leeway: leeway)
        }
    }

    /// Stops delivering events; one may still be running on the queue. May be called again.
    package func end() {
        state.withLock { state in
            switch state.phase {
            case .made: state.source.any.activate()
            case .running: break
            case .ended: return
            }
            state.source.any.cancel()
            state.phase = .ended
        }
    }
}
