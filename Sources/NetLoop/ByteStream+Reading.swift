import Bytes
import CPoll

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
