import Bytes
import CPoll

/// Moves bulk data to another socket without inspecting it: spliced through a pipe if possible, otherwise copied once.
///
/// Measured per 100 MiB on Linux 6: copying 36 ms of CPU, splicing through 1 MiB 12 to 22 ms, through 64 KiB 44 ms.
extension ByteStream {
    /// Moves the available bytes, up to the limit, and notifies the handler. Returns the same as read(2).
    func splice(along path: SpliceTarget, on loop: isolated EventLoop) -> Int {
        let target = path.target
        let count = splice(to: target, limit: path.limit, on: loop) ?? copy(to: target, path.limit, on: loop)
        noteSize(of: count, on: loop)
        guard count > 0 else { return count }
        bytesRead += Int64(count)
        handler?.spliced(count, from: self, to: target, on: loop)
        return count
    }

    /// Counts large reads in a row; a smaller read resets the count. An empty read does not count.
    func noteSize(of count: Int, on loop: isolated EventLoop) {
        guard count > 0 else { return }
        bulkReads = count >= Self.bulkBytes ? min(bulkReads + 1, Self.readsBeforeSplicing) : 0
    }

    private func copy(to target: ByteStream, _ limit: Int, on loop: isolated EventLoop) -> Int {
        let room = loop.readScratch
        let count = cpoll_read(descriptor, room.baseAddress, min(room.count, limit))
        if count > 0 { target.send(UnsafeRawBufferPointer(rebasing: room.prefix(count)), on: loop) }
        return count
    }

    /// Returns nil if the bytes cannot go through a pipe now.
    private func splice(to target: ByteStream, limit: Int, on loop: isolated EventLoop) -> Int? {
        guard bulkReads >= Self.readsBeforeSplicing, !refusesSplicing, target.takesSpliced,
            let pipe = loop.pipes.take()
        else { return nil }
        let count = pipe.fill(from: descriptor, limit: limit)
        guard count > 0 else {
            loop.pipes.giveBack(pipe)
            if count != -Int(EINVAL) { return count }
            refusesSplicing = true
            return nil
        }
        target.pipe = pipe
        target.writeOut(on: loop)
        return count
    }

    /// True if no other bytes wait to be written and the socket can be written to.
    private var takesSpliced: Bool {
        isOpen && failure == 0 && !finishesWriting && !refusesSplicing && outbox.isEmpty && !isStuck && pipe == nil
            && token != .none
    }

    /// Writes the bytes in the pipe. Returns false if some are left or the stream broke.
    func emptyPipe(on loop: isolated EventLoop) -> Bool {
        guard let pipe else { return true }
        while pipe.count > 0 {
            let count = pipe.empty(into: descriptor)
            if count > 0 {
                bytesWritten += Int64(count)
            } else if count == -Int(EAGAIN) {
                waitForWritability(on: loop)
                return false
            } else if count == -Int(EINVAL), outbox.isEmpty {
                refusesSplicing = true
                outbox.append(pipe.contents())
            } else {
                breakDown(errno: count == 0 ? EPIPE : Int32(truncatingIfNeeded: -count), on: loop)
                return false
            }
        }
        dropPipe(on: loop)
        return true
    }

    func dropPipe(on loop: isolated EventLoop) {
        guard let pipe else { return }
        self.pipe = nil
        loop.pipes.giveBack(pipe)
    }

    /// A read is large if it fills at least half of the loop's buffer.
    private static let bulkBytes = 32_768
    /// Large reads in a row before a pipe is worth its two extra system calls.
    private static let readsBeforeSplicing = 4
}
