import Foundation

/// Writes all bytes to a descriptor, and waits while it is not ready. Does not own the descriptor.
struct DescriptorWriter {
    let descriptor: Int32

    /// The reason why a write stopped, and the number of bytes written before.
    struct WriteError: Error {
        let written: Int
        let errno: Int32

        /// A description for the user, for example `No space left on device`.
        var cause: String { String(cString: strerror(errno)) }
    }

    /// Writes `bytes` in as few calls as possible, so that lines of several writers do not mix.
    func write(_ bytes: some Collection<UInt8>) throws(WriteError) {
        let bytes = ContiguousArray(bytes)
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Foundation.write(descriptor, buffer[written...].baseAddressOfSlice, buffer.count - written)
            }
            if count >= 0 {
                written += count
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                waitUntilWritable()
            } else if errno != EINTR {
                throw WriteError(written: written, errno: errno)
            }
        }
    }

    /// Waits for a terminal or pipe that another program made non-blocking, which also affects this process.
    private func waitUntilWritable() {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&entry, 1, -1)
    }
}

extension Slice<UnsafeRawBufferPointer> {
    fileprivate var baseAddressOfSlice: UnsafeRawPointer? { base.baseAddress.map { $0 + startIndex } }
}
