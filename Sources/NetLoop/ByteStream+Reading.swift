import Bytes
import CPoll

/// Bytes in, pauses, ends and failures.
extension ByteStream {
    /// Delivers nothing more until ``resumeReading(on:)``; the peer's window fills. Free of system calls.
    public func pauseReading(on loop: isolated EventLoop) {
        isReading = false
    }

    public func resumeReading(on loop: isolated EventLoop) {
        guard isOpen else { return }
        isReading = true
        if failure != 0 {
            loop.afterBatch { self.settleFailure(on: loop) }
        } else {
            settleInterest(on: loop)
        }
    }

    public var isReadingPaused: Bool { !isReading }

    var wantsBytes: Bool { isReading && !hasReadEnd && handler != nil }

    /// Reads once, and again only when the buffer came back full: a short read means the socket is empty.
    func readSome(_ readiness: Readiness, on loop: isolated EventLoop) {
        // After the peer's FIN the next read will be the end, so it is worth doing now.
        let endIsNear = readiness.contains(.hangup)
        for _ in 0..<Self.readsPerReport {
            let (count, isFull) = takeOnce(on: loop)
            if count == -Int(EAGAIN) { return }
            if count < 0 { return breakDown(errno: Int32(truncatingIfNeeded: -count), on: loop) }
            if count == 0 { return noteEnd(on: loop) }
            guard isOpen, wantsBytes, endIsNear || isFull else { return }
        }
    }

    /// Reads or passes on once; the count is that of the system call. Full: there may be more.
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

    /// Both directions are over, or broken, while no bytes are wanted. epoll reports that without being asked.
    func noteHangup(on loop: isolated EventLoop) {
        // The report may be of a time when bytes were still wanted, and mean only that the peer says no more: whether it
        // still listens, writing will tell.
        if isStuck { return writeMore(on: loop) }
        if !hasReadEnd {
            let waiting = cpoll_peek(descriptor)
            // Bytes, or a proper end, wait to be read: they come first, when reading is resumed.
            if waiting >= 0 { return setAside(on: loop) }
            if waiting != -Int(EAGAIN) { return breakDown(errno: Int32(truncatingIfNeeded: -waiting), on: loop) }
        }
        let code = cpoll_error(descriptor)
        if code != 0 {
            breakDown(errno: code, on: loop)
        } else {
            setAside(on: loop)
        }
    }

    /// Notes what broke the stream. The handler hears it after the batch, so never from within its own call.
    func breakDown(errno: Int32, on loop: isolated EventLoop) {
        guard isOpen, failure == 0 else { return }
        failure = errno
        isStuck = false
        outbox.removeAll()
        dropPipe(on: loop)
        loop.afterBatch { self.settleFailure(on: loop) }
    }

    /// Delivers what had arrived before the stream broke, then the failure.
    ///
    /// A peer that answers early and closes resets a connection we still write to; its answer is in our socket.
    func settleFailure(on loop: isolated EventLoop) {
        let room = loop.readScratch
        var turns = Self.readsAfterFailure
        while isOpen, wantsBytes, turns > 0 {
            let count = cpoll_read(descriptor, room.baseAddress, room.count)
            guard count > 0 else { break }
            deliver(UnsafeRawBufferPointer(rebasing: room.prefix(count)), on: loop)
            turns -= 1
        }
        guard isOpen else { return }
        if !isReading, !hasReadEnd, cpoll_peek(descriptor) > 0 { return setAside(on: loop) }
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
        // Most handlers close then: only who stays open has to be watched for less.
        settleInterest(on: loop)
    }

    /// Full reads in a row before the other streams have their turn.
    private static let readsPerReport = 4
    /// More than a receive buffer holds (6 MiB at most by default: tcp(7), tcp_rmem).
    private static let readsAfterFailure = 128
}
