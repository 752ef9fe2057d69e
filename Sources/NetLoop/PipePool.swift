import CPoll

/// The pipes for splicing on one loop. A pipe is in use only while it holds bytes, so idle streams have none.
final class PipePool {
    private var idle: [SplicePipe] = []
    private var made = 0
    /// The maximum number of pipes, each with two descriptors; further streams are copied.
    private var limit = PipePool.limit

    /// Returns a pipe; nil if all are in use, descriptors are running out, or the system grants only small ones.
    func take() -> SplicePipe? {
        if let pipe = idle.popLast() { return pipe }
        guard made < limit else { return nil }
        switch SplicePipe.make() {
        case .made(let pipe):
            made += 1
            return pipe
        case .notNow: return nil
        case .notMore:
            limit = made
            return nil
        }
    }

    /// Returns a pipe to the pool. A pipe that still holds bytes is closed with them.
    func giveBack(_ pipe: SplicePipe) {
        if pipe.count == 0, idle.count < Self.kept {
            idle.append(pipe)
        } else {
            made -= 1
        }
    }

    static let limit = 16
    /// Idle pipes that are kept.
    private static let kept = 2
}

/// A pipe between two sockets, and the number of bytes in it.
final class SplicePipe {
    enum Creation {
        case made(SplicePipe)
        /// Descriptors are running out.
        case notNow
        /// The system grants no further pipe of a useful size.
        case notMore
    }

    private(set) var count = 0
    private let room: Int
    private let readEnd: Int32
    private let writeEnd: Int32

    private init(readEnd: Int32, writeEnd: Int32, room: Int) {
        self.readEnd = readEnd
        self.writeEnd = writeEnd
        self.room = room
    }

    deinit {
        closeDescriptor(readEnd)
        closeDescriptor(writeEnd)
    }

    static func make() -> Creation {
        var ends: (Int32, Int32) = (-1, -1)
        let granted = withUnsafeMutableBytes(of: &ends) {
            cpoll_pipe($0.assumingMemoryBound(to: Int32.self).baseAddress, wantedRoom)
        }
        guard granted > 0 else {
            return NetError.isDescriptorLimit(Int32(truncatingIfNeeded: -granted)) ? .notNow : .notMore
        }
        let pipe = SplicePipe(readEnd: ends.0, writeEnd: ends.1, room: granted)
        return granted >= usefulRoom ? .made(pipe) : .notMore
    }

    /// Moves bytes from the socket into the pipe. Returns the same as read(2).
    func fill(from socket: Int32, limit: Int) -> Int {
        let moved = cpoll_fill_pipe(writeEnd, socket, min(limit, room))
        count += max(0, moved)
        return moved
    }

    /// Moves bytes from the pipe into the socket. Returns the same as write(2).
    func empty(into socket: Int32) -> Int {
        let moved = cpoll_empty_pipe(readEnd, socket, count)
        count -= max(0, moved)
        return moved
    }

    /// Removes and returns all bytes.
    func contents() -> [UInt8] {
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            while filled < count {
                let more = cpoll_read_pipe(readEnd, room.baseAddress.map { $0 + filled }, count - filled)
                guard more > 0 else { return }
                filled += more
            }
        }
        count = 0
        return bytes
    }

    /// The largest size that pipe(7) grants without privileges (/proc/sys/fs/pipe-max-size).
    private static let wantedRoom = 1 << 20
    /// Below this size, splicing is no cheaper than copying.
    private static let usefulRoom = 1 << 18
}
