public import Bytes
import CPoll

/// A connected TCP socket that stays on one loop: a handler receives its input, an outbox holds its output.
///
/// Not Sendable. The loop retains an attached stream, and the stream retains its handler until it is closed. So an
/// owner that is the handler needs no other reference. A stream that is released unattached closes its descriptor.
public final class ByteStream {
    /// Retained until the stream closes. May be replaced at any time. Without a handler reading pauses; call
    /// ``resumeReading(on:)`` after setting the next one.
    // Unchecked (also for the counts): loaded or stored as a whole, and the handler is called after it was loaded.
    @exclusivity(unchecked) public var handler: (any StreamHandler)?
    /// Append here, then call ``flush(on:)``. The writer must bound it.
    public let outbox: ByteQueue
    /// "192.0.2.1:5" or "[2001:db8::1]:5"; empty if the socket no longer had a peer.
    public let peerAddress: String
    @exclusivity(unchecked) public internal(set) var bytesRead: Int64 = 0
    @exclusivity(unchecked) public internal(set) var bytesWritten: Int64 = 0

    var descriptor: Int32
    var token = PollToken.none
    /// The readiness that the poll set watches for.
    var interest: Readiness = []
    /// True if the descriptor is in the poll set.
    var isWatched = false
    var isReading = true
    var hasReadEnd = false
    /// True after a write filled the socket, until the poll set reports room.
    var isStuck = false
    var owesDrained = false
    var finishesWriting = false
    var hasFinishedWriting = false
    /// The errno that broke the stream, until the handler receives it.
    var failure: Int32 = 0
    /// Holds bytes to write before the outbox, while the socket does not accept them all.
    var pipe: SplicePipe?
    /// The number of large reads in a row, see ``noteSize(of:on:)``.
    var bulkReads = 0
    /// True if the system cannot splice this socket (EINVAL).
    var refusesSplicing = false

    /// Takes ownership of `descriptor`.
    ///
    /// - Parameters:
    ///   - outbox: pass one to share it with a TLS machine or a session that fills it.
    ///   - peerAddress: the address from the listener, whose sockets are already configured for a loop. nil for other
    ///     sockets: they are made non-blocking, without Nagle's delay, and the peer is read from the system.
    public init(
        descriptor: Int32, handler: (any StreamHandler)?, outbox: ByteQueue = ByteQueue(), peerAddress: String? = nil
    ) {
        self.descriptor = descriptor
        self.handler = handler
        self.outbox = outbox
        if let peerAddress {
            self.peerAddress = peerAddress
        } else {
            // If the socket cannot be prepared it is broken; attaching or reading reports the error.
            _ = cpoll_prepare(descriptor)
            self.peerAddress = SocketAddress(peerOf: descriptor)?.description ?? ""
        }
    }

    /// Takes ownership of a dialed connection, including its entry in the poll set. Attach it to the same loop.
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

    /// True if the peer sent bytes that were not read yet.
    public var hasUnreadBytes: Bool { isOpen && cpoll_peek(descriptor) > 0 }

    /// True if the socket did not accept all bytes; ``StreamHandler/drained(_:on:)`` follows.
    public var isWriteBlocked: Bool { isStuck }

    /// Starts reading.
    ///
    /// - Throws: ``NetError/stopped``, or the error of the poll set; the stream is still open then, and the caller's to
    ///   release.
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

    /// Closes immediately and discards unwritten bytes. Safe inside handlers, and if called again.
    ///
    /// The handler is no longer called. To send the outbox first, use ``finishWriting(on:)``.
    public func close(on loop: isolated EventLoop) {
        guard isOpen else { return }
        loop.release(token)
        token = .none
        // Closing the last descriptor of a socket also removes it from the poll set: epoll(7), kqueue(2).
        closeDescriptor(descriptor)
        descriptor = -1
        isWatched = false
        isStuck = false
        outbox.removeAll()
        outbox.releaseIfEmpty()
        dropPipe(on: loop)
        handler = nil
    }

    /// Closes immediately with a reset (RST), so that the peer cannot mistake this for a regular end.
    public func abort(on loop: isolated EventLoop) {
        guard isOpen else { return }
        _ = cpoll_reset_on_close(descriptor)
        close(on: loop)
    }

    /// A full outbox counts as drained below this many bytes.
    public static let lowWater = 65_536
}

extension ByteStream: PollTarget {
    func ready(_ readiness: Readiness, on loop: isolated EventLoop) {
        // The report refers to the interest at the time of the poll; writing may change the interest.
        let wasWatchedForBytes = interest.contains(.read)
        if isStuck, !readiness.isDisjoint(with: [.write, .error]) { writeMore(on: loop) }
        guard isOpen, failure == 0 else { return }
        if wantsBytes {
            if !readiness.isDisjoint(with: [.read, .hangup, .error]) { readSome(readiness, on: loop) }
        } else if wasWatchedForBytes {
            // Pausing is free until bytes arrive: only now the poll set is updated.
            updateInterest(on: loop)
        } else if !readiness.isDisjoint(with: [.hangup, .error]) {
            noteHangup(on: loop)
        }
    }

    func loopStopped(on loop: isolated EventLoop) {
        close(on: loop)
    }

    /// Updates the poll set to the current interest.
    func updateInterest(on loop: isolated EventLoop) {
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

    /// Removes the socket from the poll set, which would report its hang-up again and again.
    func unwatch(on loop: isolated EventLoop) {
        guard isWatched else { return }
        loop.unwatch(descriptor, interest: interest)
        isWatched = false
        interest = []
    }
}
