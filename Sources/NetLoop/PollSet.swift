import CPoll

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
