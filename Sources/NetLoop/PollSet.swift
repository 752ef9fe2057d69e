import CPoll
package import Dispatch
import Synchronization

/// The readiness that a poll set reports for a descriptor.
struct Readiness: OptionSet, Hashable {
    let rawValue: UInt32

    static let read = Readiness(rawValue: UInt32(CPOLL_READ))
    static let write = Readiness(rawValue: UInt32(CPOLL_WRITE))
    /// The peer sends no more.
    static let hangup = Readiness(rawValue: UInt32(CPOLL_HANGUP))
    static let error = Readiness(rawValue: UInt32(CPOLL_ERROR))
}

/// An object with a slot in a loop's table.
protocol PollTarget: AnyObject {
    func ready(_ readiness: Readiness, on loop: isolated EventLoop)
    /// Closes everything that the target owns, because the loop ends. Calls no handler.
    func loopStopped(on loop: isolated EventLoop)
}

/// Wakes a poll set that waits, from any thread.
struct Bell: Sendable {
    fileprivate let set: Int32
    /// -1 if the system needs none.
    fileprivate let descriptor: Int32

    /// - Precondition: the set is open.
    func ring() {
        // Fails only if a ring is pending already.
        _ = cpoll_ring(set, descriptor)
    }
}

/// A loop's epoll or kqueue descriptor, with a buffer for one batch of reports.
///
/// The Dispatch source that watches the set closes the descriptors.
final class PollSet {
    let descriptor: Int32
    let bell: Bell
    private let events = UnsafeMutableBufferPointer<cpoll_event>.allocate(capacity: PollSet.batch)

    init() throws(NetError) {
        descriptor = cpoll_open()
        var bellDescriptor: Int32 = -1
        let code = descriptor < 0 ? descriptor : cpoll_add_bell(descriptor, &bellDescriptor)
        bell = Bell(set: descriptor, descriptor: bellDescriptor)
        events.initialize(repeating: cpoll_event())
        guard code < 0 else { return }
        if descriptor >= 0 { closeDescriptor(descriptor) }
        throw NetError(call: "poll set", answer: Int(code))
    }

    deinit { events.deallocate() }

    /// Closes the set and its bell, after the last wait.
    var closing: @Sendable () -> Void {
        { [bell] in
            closeDescriptor(bell.set)
            if bell.descriptor >= 0 { closeDescriptor(bell.descriptor) }
        }
    }

    /// Reads one batch and returns its size. Waits up to `milliseconds` for the first report.
    func take(waiting milliseconds: Int32 = 0) -> Int {
        max(0, Int(cpoll_take(descriptor, events.baseAddress, Int32(Self.batch), milliseconds)))
    }

    /// - Precondition: `index` is below what the last ``take(waiting:)`` returned.
    func report(_ index: Int) -> (token: PollToken, readiness: Readiness) {
        let event = events[index]
        return (PollToken(packed: event.token), Readiness(rawValue: event.ready))
    }

    /// The largest batch; the C side has room for 128.
    private static let batch = 128
}

extension NetError {
    /// - Parameter answer: the result of a CPoll function, a negated errno.
    init(call: String, answer: Int) {
        let code = Int32(truncatingIfNeeded: -answer)
        self = Self.isDescriptorLimit(code) ? .descriptorLimit : .system(call: call, errno: code)
    }

    static func isDescriptorLimit(_ code: Int32) -> Bool { code == EMFILE || code == ENFILE }
}

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

/// Identifies a slot of one loop and its current occupant. A poll set stores this number instead of a pointer, so a
/// late report finds no target instead of the wrong one.
struct PollToken: Hashable, Sendable {
    let number: UInt32
    let generation: UInt32

    /// Refers to no slot: the first generation of every slot is 1.
    static let none = PollToken(number: 0, generation: 0)

    var packed: UInt64 { UInt64(generation) << 32 | UInt64(number) }
}

extension PollToken {
    init(packed: UInt64) {
        self.init(number: UInt32(truncatingIfNeeded: packed), generation: UInt32(truncatingIfNeeded: packed >> 32))
    }
}

/// The targets registered with a loop. Slots are reused; their generation identifies the occupant.
struct SlotTable {
    private struct Slot {
        var target: (any PollTarget)?
        var generation: UInt32
    }

    private var slots: [Slot] = []
    private var free: [UInt32] = []

    mutating func insert(_ target: any PollTarget) -> PollToken {
        if let number = free.popLast() {
            slots[Int(number)].target = target
            return PollToken(number: number, generation: slots[Int(number)].generation)
        }
        slots.append(Slot(target: target, generation: 1))
        return PollToken(number: UInt32(slots.count - 1), generation: 1)
    }

    /// Frees the slot, unless it has a new occupant already.
    mutating func remove(_ token: PollToken) {
        guard target(of: token) != nil else { return }
        slots[Int(token.number)].target = nil
        slots[Int(token.number)].generation &+= 1
        free.append(token.number)
    }

    func target(of token: PollToken) -> (any PollTarget)? {
        let number = Int(token.number)
        guard number < slots.count, slots[number].generation == token.generation else { return nil }
        return slots[number].target
    }

    var targets: [any PollTarget] { slots.compactMap(\.target) }
}
