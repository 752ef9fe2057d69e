import CPoll

/// The pipes that one loop splices through. A pipe is out only while it holds bytes, so idle streams have none.
final class PipePool {
    private var idle: [SplicePipe] = []
    private var made = 0
    /// Pipes at once, each of two descriptors; streams beyond that are copied.
    private var limit = PipePool.limit

    /// nil when all are out, descriptors have run short, or the system grants none that is worth it.
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

    /// A pipe that still holds bytes is closed with them.
    func giveBack(_ pipe: SplicePipe) {
        if pipe.count == 0, idle.count < Self.kept {
            idle.append(pipe)
        } else {
            made -= 1
        }
    }

    static let limit = 16
    /// Pipes that wait for the next bulk.
    private static let kept = 2
}

/// A pipe between two sockets, and how many bytes are in it.
final class SplicePipe {
    enum Creation {
        case made(SplicePipe)
        /// Descriptors have run short.
        case notNow
        /// The system will give no (other) pipe of a useful size.
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

    /// Moves in what the socket has. Answers as read(2) does.
    func fill(from socket: Int32, limit: Int) -> Int {
        let moved = cpoll_fill_pipe(writeEnd, socket, min(limit, room))
        count += max(0, moved)
        return moved
    }

    /// Moves out what the socket takes. Answers as write(2) does.
    func empty(into socket: Int32) -> Int {
        let moved = cpoll_empty_pipe(readEnd, socket, count)
        count -= max(0, moved)
        return moved
    }

    /// Takes everything out.
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

    /// The most that pipe(7) grants without privilege (/proc/sys/fs/pipe-max-size).
    private static let wantedRoom = 1 << 20
    /// Below that, splicing is no cheaper than copying.
    private static let usefulRoom = 1 << 18
}
