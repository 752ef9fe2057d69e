import CPoll

/// What a poll set reports about a descriptor.
struct Readiness: OptionSet, Hashable {
    let rawValue: UInt32

    static let read = Readiness(rawValue: UInt32(CPOLL_READ))
    static let write = Readiness(rawValue: UInt32(CPOLL_WRITE))
    /// The peer will send no more.
    static let hangup = Readiness(rawValue: UInt32(CPOLL_HANGUP))
    static let error = Readiness(rawValue: UInt32(CPOLL_ERROR))
}

/// Something with a place in a loop's slot table.
protocol PollTarget: AnyObject {
    func ready(_ readiness: Readiness, on loop: isolated EventLoop)
    /// The loop is going away: close what you own, tell nobody.
    func loopStopped(on loop: isolated EventLoop)
}

/// Ends a poll set's wait, from any thread.
struct Bell: Sendable {
    fileprivate let set: Int32
    /// -1 where the system needs none.
    fileprivate let descriptor: Int32

    /// - Precondition: the set is open.
    func ring() {
        // Fails only where a ring is due already.
        _ = cpoll_ring(set, descriptor)
    }
}

/// A loop's epoll or kqueue descriptor and the room for one batch of its reports.
///
/// The descriptors are closed by the Dispatch source that watches the set, not here.
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

    /// Closes the set and its bell, once nobody waits any more.
    var closing: @Sendable () -> Void {
        { [bell] in
            closeDescriptor(bell.set)
            if bell.descriptor >= 0 { closeDescriptor(bell.descriptor) }
        }
    }

    /// Takes one batch and returns its size; waits up to so many milliseconds for the first report.
    func take(waiting milliseconds: Int32 = 0) -> Int {
        max(0, Int(cpoll_take(descriptor, events.baseAddress, Int32(Self.batch), milliseconds)))
    }

    /// - Precondition: `index` is below what the last ``take()`` returned.
    func report(_ index: Int) -> (token: PollToken, readiness: Readiness) {
        let event = events[index]
        return (PollToken(packed: event.token), Readiness(rawValue: event.ready))
    }

    /// Reports taken at once; the C side has room for 128.
    private static let batch = 128
}

extension NetError {
    /// - Parameter answer: what a function of CPoll returned: a negated errno.
    init(call: String, answer: Int) {
        let code = Int32(truncatingIfNeeded: -answer)
        self = Self.isDescriptorLimit(code) ? .descriptorLimit : .system(call: call, errno: code)
    }

    static func isDescriptorLimit(_ code: Int32) -> Bool { code == EMFILE || code == ENFILE }
}
