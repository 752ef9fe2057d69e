public import Bytes
import CPoll

/// A connected TCP socket on one loop for life: bytes in to a handler, bytes out of an outbox.
///
/// Not Sendable. The loop holds an attached stream and the stream holds its handler until it is closed, so an owner
/// that is the handler needs no other keeper. A stream that is dropped unattached closes its descriptor.
public final class ByteStream {
    /// Held strongly, dropped by closing. May be replaced at any time; without one, reading pauses by itself and
    /// ``resumeReading(on:)`` must follow the next handler.
    // Unchecked, this and the counts: each is loaded, or stored, as a whole; the handler is called after it was loaded.
    @exclusivity(unchecked) public var handler: (any StreamHandler)?
    /// Append here, then ``flush(on:)``. Bounding it is the writer's business.
    public let outbox: ByteQueue
    /// "192.0.2.1:5" or "[2001:db8::1]:5"; empty when the socket had no peer any more.
    public let peerAddress: String
    @exclusivity(unchecked) public internal(set) var bytesRead: Int64 = 0
    @exclusivity(unchecked) public internal(set) var bytesWritten: Int64 = 0

    var descriptor: Int32
    var token = PollToken.none
    /// What the poll set is watching for.
    var interest: Readiness = []
    /// Whether the poll set knows the descriptor at all.
    var isWatched = false
    var isReading = true
    var hasReadEnd = false
    /// A write found the socket full and the poll set has not yet said otherwise.
    var isStuck = false
    var owesDrained = false
    var finishesWriting = false
    var hasFinishedWriting = false
    /// The errno that broke the stream, until its handler has heard of it.
    var failure: Int32 = 0
    /// Holds bytes that go out before the outbox, while the socket will not take them all.
    var pipe: SplicePipe?
    /// Large reads in a row, see ``noteSize(of:on:)``.
    var bulkReads = 0
    /// The system will not splice this socket (EINVAL).
    var refusesSplicing = false

    /// Takes ownership of `descriptor`.
    ///
    /// - Parameters:
    ///   - outbox: shared with a TLS machine or a session, when one fills it.
    ///   - peerAddress: as the listener gave it with a socket that is fit for a loop from birth. nil for sockets from
    ///     elsewhere: they are made non-blocking, without Nagle's delay, and the system is asked for the peer.
    public init(
        descriptor: Int32, handler: (any StreamHandler)?, outbox: ByteQueue = ByteQueue(), peerAddress: String? = nil
    ) {
        self.descriptor = descriptor
        self.handler = handler
        self.outbox = outbox
        if let peerAddress {
            self.peerAddress = peerAddress
        } else {
            // A socket that cannot be prepared is a broken one; attaching or reading will say so.
            _ = cpoll_prepare(descriptor)
            self.peerAddress = SocketAddress(peerOf: descriptor)?.description ?? ""
        }
    }

    /// Takes over a connection that was dialed, with its place in the poll set: to be attached to the same loop.
    public convenience init(_ dialed: DialedSocket, handler: (any StreamHandler)?) {
        self.init(descriptor: dialed.descriptor, handler: handler, peerAddress: dialed.address)
        isWatched = dialed.interest != []
        interest = dialed.interest
    }

    deinit {
        if isOpen { closeDescriptor(descriptor) }
    }

    public var isOpen: Bool { descriptor >= 0 }

    /// Bytes that wait to be written.
    public var waitingBytes: Int { outbox.count + (pipe?.count ?? 0) }

    /// The peer has said something that was not read yet.
    public var hasUnreadBytes: Bool { isOpen && cpoll_peek(descriptor) > 0 }

    /// Bytes wait that the socket would not take; ``StreamHandler/drained(_:on:)`` will follow.
    public var isWriteBlocked: Bool { isStuck }

    /// Begins reading.
    ///
    /// - Throws: ``NetError/stopped`` or what the poll set said; the stream is still open then, and yours to drop.
    public func attach(to loop: isolated EventLoop) throws(NetError) {
        precondition(isOpen && token == .none, "a stream is attached once")
        let place = try loop.adopt(self)
        let code =
            isWatched
            ? loop.change(descriptor, as: place, from: interest, to: .read)
            : loop.watch(descriptor, as: place, for: .read)
        guard code == 0 else {
            loop.release(place)
            throw NetError(call: "watch", answer: Int(code))
        }
        token = place
        interest = .read
        isWatched = true
    }

    /// Closes at once and forgets what was not written. Safe inside handlers, and twice.
    ///
    /// The handler hears nothing more. Finish writing first to let the outbox go out.
    public func close(on loop: isolated EventLoop) {
        guard isOpen else { return }
        loop.release(token)
        token = .none
        // Closing the last descriptor of a socket also takes it out of the poll set: epoll(7), kqueue(2).
        closeDescriptor(descriptor)
        descriptor = -1
        isWatched = false
        isStuck = false
        outbox.removeAll()
        outbox.releaseIfEmpty()
        dropPipe(on: loop)
        handler = nil
    }

    /// Closes at once with a reset (RST), so that the peer cannot take the end for a proper one.
    public func abort(on loop: isolated EventLoop) {
        guard isOpen else { return }
        _ = cpoll_reset_on_close(descriptor)
        close(on: loop)
    }

    /// An outbox that was stuck counts as drained below this many bytes.
    public static let lowWater = 65_536
}

extension ByteStream: PollTarget {
    func ready(_ readiness: Readiness, on loop: isolated EventLoop) {
        // A report answers what was watched for when it was made; writing may change that.
        let wasWatchedForBytes = interest.contains(.read)
        if isStuck, !readiness.isDisjoint(with: [.write, .error]) { writeMore(on: loop) }
        guard isOpen, failure == 0 else { return }
        if wantsBytes {
            if !readiness.isDisjoint(with: [.read, .hangup, .error]) { readSome(readiness, on: loop) }
        } else if wasWatchedForBytes {
            // Pausing costs nothing until bytes come: only now the poll set is told.
            settleInterest(on: loop)
        } else if !readiness.isDisjoint(with: [.hangup, .error]) {
            noteHangup(on: loop)
        }
    }

    func loopStopped(on loop: isolated EventLoop) {
        close(on: loop)
    }

    /// Makes the poll set watch for what we want now.
    func settleInterest(on loop: isolated EventLoop) {
        guard isOpen, token != .none else { return }
        var wanted: Readiness = wantsBytes ? .read : []
        if isStuck { wanted.insert(.write) }
        guard isWatched ? wanted != interest : !wanted.isEmpty else { return }
        let code =
            isWatched
            ? loop.change(descriptor, as: token, from: interest, to: wanted)
            : loop.watch(descriptor, as: token, for: wanted)
        guard code == 0 else { return breakDown(errno: -code, on: loop) }
        interest = wanted
        isWatched = true
    }

    /// Takes the socket out of the poll set, which would report its hang-up again and again.
    func setAside(on loop: isolated EventLoop) {
        guard isWatched else { return }
        loop.unwatch(descriptor, interest: interest)
        isWatched = false
        interest = []
    }
}
