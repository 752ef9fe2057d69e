import Bytes
import CPoll

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
