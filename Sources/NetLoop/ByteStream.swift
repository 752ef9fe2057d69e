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

/// Reading, pausing, ends and failures.
extension ByteStream {
    /// Stops delivering bytes until ``resumeReading(on:)``, so that the peer's window fills. Makes no system call.
    public func pauseReading(on loop: isolated EventLoop) {
        isReading = false
    }

    public func resumeReading(on loop: isolated EventLoop) {
        guard isOpen else { return }
        isReading = true
        if failure != 0 {
            loop.afterBatch { self.deliverFailure(on: loop) }
        } else {
            updateInterest(on: loop)
        }
    }

    public var isReadingPaused: Bool { !isReading }

    var wantsBytes: Bool { isReading && !hasReadEnd && handler != nil }

    /// Reads once, and again only if the buffer was filled: a short read means the socket is empty.
    func readSome(_ readiness: Readiness, on loop: isolated EventLoop) {
        // After the peer's FIN the next read returns the end, so read it now.
        let endIsNear = readiness.contains(.hangup)
        for _ in 0..<Self.readsPerReport {
            let (count, isFull) = takeOnce(on: loop)
            if count == -Int(EAGAIN) { return }
            if count < 0 { return breakDown(errno: Int32(truncatingIfNeeded: -count), on: loop) }
            if count == 0 { return noteEnd(on: loop) }
            guard isOpen, wantsBytes, endIsNear || isFull else { return }
        }
    }

    /// Reads or splices once. The count is that of the system call; `isFull` means that more bytes may be available.
    private func takeOnce(on loop: isolated EventLoop) -> (count: Int, isFull: Bool) {
        let room = loop.readScratch
        if bulkReads > 0, let path = handler?.spliceTarget(for: self, on: loop) {
            let count = splice(along: path, on: loop)
            return (count, count >= min(room.count, path.limit))
        }
        let count = cpoll_read(descriptor, room.baseAddress, room.count)
        noteSize(of: count, on: loop)
        if count > 0 { deliver(UnsafeRawBufferPointer(rebasing: room.prefix(count)), on: loop) }
        return (count, count == room.count)
    }

    /// Handles a hang-up or an error while reading is paused or over. epoll reports these even if they are not
    /// requested.
    func noteHangup(on loop: isolated EventLoop) {
        // The report may be older than the pause and mean only that the peer sends no more. Writing shows if it still
        // reads.
        if isStuck { return writeMore(on: loop) }
        if !hasReadEnd {
            let waiting = cpoll_peek(descriptor)
            // Unread bytes, or a regular end, are delivered first, when reading resumes.
            if waiting >= 0 { return unwatch(on: loop) }
            if waiting != -Int(EAGAIN) { return breakDown(errno: Int32(truncatingIfNeeded: -waiting), on: loop) }
        }
        let code = cpoll_error(descriptor)
        if code != 0 {
            breakDown(errno: code, on: loop)
        } else {
            unwatch(on: loop)
        }
    }

    /// Records the error that broke the stream. The handler is called after the batch, never within its own call.
    func breakDown(errno: Int32, on loop: isolated EventLoop) {
        guard isOpen, failure == 0 else { return }
        failure = errno
        isStuck = false
        outbox.removeAll()
        dropPipe(on: loop)
        loop.afterBatch { self.deliverFailure(on: loop) }
    }

    /// Delivers the bytes that arrived before the stream broke, then the failure.
    ///
    /// A peer that answers early and closes resets a connection that we still write to; its answer is in our socket.
    func deliverFailure(on loop: isolated EventLoop) {
        let room = loop.readScratch
        var turns = Self.readsAfterFailure
        while isOpen, wantsBytes, turns > 0 {
            let count = cpoll_read(descriptor, room.baseAddress, room.count)
            guard count > 0 else { break }
            deliver(UnsafeRawBufferPointer(rebasing: room.prefix(count)), on: loop)
            turns -= 1
        }
        guard isOpen else { return }
        if !isReading, !hasReadEnd, cpoll_peek(descriptor) > 0 { return unwatch(on: loop) }
        handler?.failed(self, errno: failure, on: loop)
        close(on: loop)
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer, on loop: isolated EventLoop) {
        bytesRead += Int64(bytes.count)
        handler?.received(bytes, from: self, on: loop)
    }

    private func noteEnd(on loop: isolated EventLoop) {
        hasReadEnd = true
        handler?.ended(self, on: loop)
        // Most handlers close now; only a stream that stays open needs its interest updated.
        updateInterest(on: loop)
    }

    /// Full reads in a row before other streams are served.
    private static let readsPerReport = 4
    /// Enough reads for a whole receive buffer (6 MiB at most by default: tcp(7), tcp_rmem).
    private static let readsAfterFailure = 128
}

/// Writing.
extension ByteStream {
    /// Writes as many bytes as the socket accepts. Watches for writability only while the socket is full.
    public func flush(on loop: isolated EventLoop) {
        guard isOpen, failure == 0, !hasFinishedWriting else { return outbox.removeAll() }
        guard token != .none else { return }
        if isStuck {
            owesDrained = true
        } else {
            writeOut(on: loop)
        }
    }

    /// Writes `bytes` after the outbox, without copying those that the socket accepts now.
    public func send(_ bytes: UnsafeRawBufferPointer, on loop: isolated EventLoop) {
        guard isOpen, failure == 0, !hasFinishedWriting else { return }
        guard outbox.isEmpty, pipe == nil, token != .none, bytes.count > 0 else {
            outbox.append(bytes)
            return flush(on: loop)
        }
        let count = cpoll_write(descriptor, bytes.baseAddress, bytes.count)
        guard count >= 0 || count == -Int(EAGAIN) else {
            return breakDown(errno: Int32(truncatingIfNeeded: -count), on: loop)
        }
        let taken = max(0, count)
        bytesWritten += Int64(taken)
        guard taken < bytes.count else { return }
        outbox.append(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(taken)))
        waitForWritability(on: loop)
    }

    /// Sends FIN once the outbox is empty. Later output is discarded.
    public func finishWriting(on loop: isolated EventLoop) {
        guard isOpen, !finishesWriting else { return }
        finishesWriting = true
        flush(on: loop)
    }

    /// Writes more, because the poll set reported room.
    func writeMore(on loop: isolated EventLoop) {
        writeOut(on: loop)
        guard isOpen, failure == 0, owesDrained, waitingBytes < Self.lowWater else { return }
        owesDrained = false
        handler?.drained(self, on: loop)
    }

    func writeOut(on loop: isolated EventLoop) {
        guard emptyPipe(on: loop) else { return }
        while !outbox.isEmpty {
            let bytes = outbox.bytes
            let count = cpoll_write(descriptor, bytes.baseAddress, bytes.count)
            if count == -Int(EAGAIN) { return waitForWritability(on: loop) }
            if count < 0 { return breakDown(errno: Int32(truncatingIfNeeded: -count), on: loop) }
            bytesWritten += Int64(count)
            let isShort = count < bytes.count
            outbox.consume(count)
            if isShort { return waitForWritability(on: loop) }
        }
        // Frees the storage, so that an idle tunnel keeps none.
        outbox.releaseIfEmpty()
        if isStuck {
            isStuck = false
            updateInterest(on: loop)
        }
        if finishesWriting, !hasFinishedWriting {
            hasFinishedWriting = true
            _ = cpoll_finish_writing(descriptor)
        }
    }

    /// Waits for writability. A short write has the same meaning as EAGAIN: the socket's buffer is full.
    func waitForWritability(on loop: isolated EventLoop) {
        owesDrained = owesDrained || !isStuck
        isStuck = true
        updateInterest(on: loop)
    }
}

/// Receives the events of a stream, always on its loop and never within a call by the owner.
public protocol StreamHandler: AnyObject {
    /// - Parameter bytes: valid until the call returns; they are in the loop's ``EventLoop/readScratch``.
    func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop)
    /// The peer finished writing. Called once, after the last byte; the stream stays open for writing.
    func ended(_ stream: ByteStream, on loop: isolated EventLoop)
    /// The connection broke. Bytes that had arrived were delivered before; the stream closes afterwards.
    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop)
    /// The outbox was full and fell below ``ByteStream/lowWater``: more may be appended.
    func drained(_ stream: ByteStream, on loop: isolated EventLoop)
    /// Returns the stream to which the next bytes may go without inspection; nil to receive them. Only called while
    /// large reads arrive.
    func spliceTarget(for stream: ByteStream, on loop: isolated EventLoop) -> SpliceTarget?
    /// Bytes were spliced; those that the target's socket did not accept yet are in its ``ByteStream/waitingBytes``.
    func spliced(_ count: Int, from stream: ByteStream, to target: ByteStream, on loop: isolated EventLoop)
}

extension StreamHandler {
    public func spliceTarget(for stream: ByteStream, on loop: isolated EventLoop) -> SpliceTarget? { nil }
    public func spliced(_ count: Int, from stream: ByteStream, to target: ByteStream, on loop: isolated EventLoop) {}
}

/// The target of bytes that need no inspection: another stream on the same loop.
public struct SpliceTarget {
    let target: ByteStream
    let limit: Int

    /// - Parameter limit: the most bytes to splice, at least one.
    public init(to target: ByteStream, limit: Int = .max) {
        precondition(limit > 0, "the limit must be positive")
        self.target = target
        self.limit = limit
    }
}
