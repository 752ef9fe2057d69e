import Bytes
import CPoll

/// Bytes out.
extension ByteStream {
    /// Writes what the socket takes now. Watches for writability only while it is stuck.
    public func flush(on loop: isolated EventLoop) {
        guard isOpen, failure == 0, !hasFinishedWriting else { return outbox.removeAll() }
        guard token != .none else { return }
        if isStuck {
            owesDrained = true
        } else {
            writeOut(on: loop)
        }
    }

    /// Writes `bytes` behind the outbox, without copying those that the socket takes now.
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
        getStuck(on: loop)
    }

    /// Sends FIN once the outbox is empty. What is appended after that is thrown away.
    public func finishWriting(on loop: isolated EventLoop) {
        guard isOpen, !finishesWriting else { return }
        finishesWriting = true
        flush(on: loop)
    }

    /// The poll set says there is room again.
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
            if count == -Int(EAGAIN) { return getStuck(on: loop) }
            if count < 0 { return breakDown(errno: Int32(truncatingIfNeeded: -count), on: loop) }
            bytesWritten += Int64(count)
            let isShort = count < bytes.count
            outbox.consume(count)
            if isShort { return getStuck(on: loop) }
        }
        // An idle tunnel keeps no storage.
        outbox.releaseIfEmpty()
        if isStuck {
            isStuck = false
            settleInterest(on: loop)
        }
        if finishesWriting, !hasFinishedWriting {
            hasFinishedWriting = true
            _ = cpoll_finish_writing(descriptor)
        }
    }

    /// A short write is as good as EAGAIN: the socket's buffer is full.
    func getStuck(on loop: isolated EventLoop) {
        owesDrained = owesDrained || !isStuck
        isStuck = true
        settleInterest(on: loop)
    }
}
