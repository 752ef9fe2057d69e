import CPoll

/// What a poll set reports about a descriptor.
struct Readiness: OptionSet {
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

/// A loop's epoll or kqueue descriptor and the room for one batch of its reports.
///
/// The descriptor is closed by the Dispatch source that watches it, not here.
final class PollSet {
    let descriptor: Int32
    private let events = UnsafeMutableBufferPointer<cpoll_event>.allocate(capacity: PollSet.batch)

    init() throws(NetError) {
        descriptor = cpoll_open()
        guard descriptor >= 0 else { throw NetError(call: "poll set", answer: Int(descriptor)) }
        events.initialize(repeating: cpoll_event())
    }

    deinit { events.deallocate() }

    /// Takes one batch without waiting and returns its size.
    func take() -> Int {
        max(0, Int(cpoll_take(descriptor, events.baseAddress, Int32(Self.batch))))
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
