import Files
import Foundation
public import Records
import Synchronization

/// Writes one JSON object per line, appended to a file or to standard output, and flushes after every batch.
public final class JSONLinesSink: RecordSink {
    public let name: String
    public var kind: SinkKind { .json }
    /// A warning about the file, for the user; nil if there is none.
    public let notice: String?
    private let output: DescriptorWriter
    private let ownsDescriptor: Bool
    private let state = Mutex(State())

    private struct State {
        var writer = RecordJSON()
        /// The rest of a line that was only partly written. It is written first, so that the line becomes complete.
        var cutOff: [UInt8] = []
    }

    /// The reason why a file for JSON lines could not be opened.
    public struct CannotOpen: Error, Sendable, Hashable, CustomStringConvertible {
        public let path: String
        public let cause: String
        /// True if the file's folder does not exist.
        public let lacksFolder: Bool

        public var description: String { "cannot write \(path): \(cause)" }
    }

    /// - Parameter path: file to append to, created for this user alone if missing; `-` for standard output.
    /// - Throws: ``CannotOpen``.
    public init(path: String) throws(CannotOpen) {
        ownsDescriptor = path != "-"
        name = ownsDescriptor ? path : "standard output"
        guard ownsDescriptor else {
            notice = nil
            output = DescriptorWriter(descriptor: STDOUT_FILENO)
            return
        }
        let descriptor: Int32
        do {
            descriptor = try OutputFile.open(path, O_WRONLY | O_CREAT | O_APPEND, mode: 0o600)
        } catch {
            throw CannotOpen(path: path, cause: error.description, lacksFolder: error.errno == ENOENT)
        }
        let exposure = FileExposure(of: descriptor)
        notice = exposure.words(for: path)
        if exposure.isRefused, let notice {
            _ = Foundation.close(descriptor)
            throw CannotOpen(path: path, cause: notice, lacksFolder: false)
        }
        output = DescriptorWriter(descriptor: descriptor)
    }

    public func write(_ records: [LoadRecord]) throws {
        try state.withLock { state in
            try finish(&state.cutOff)
            var lines: [UInt8] = []
            for record in records {
                state.writer.append(record, to: &lines)
                lines.append(lineEnd)
            }
            do throws(DescriptorWriter.WriteError) {
                try output.write(lines)
            } catch {
                throw partialWrite(of: lines, stopped: error, cutOff: &state.cutOff)
            }
        }
    }

    public func close() throws {
        defer { if ownsDescriptor { _ = Foundation.close(output.descriptor) } }
        try state.withLock { try finish(&$0.cutOff) }
        // Pipes and terminals cannot be synchronised. For a file, a full disk may be reported only now.
        guard ownsDescriptor, fsync(output.descriptor) != 0, errno != EINVAL, errno != EROFS else { return }
        throw PartialWrite(recorded: 0, cause: String(cString: strerror(errno)))
    }

    private func finish(_ cutOff: inout [UInt8]) throws {
        do throws(DescriptorWriter.WriteError) {
            try output.write(cutOff)
            cutOff = []
        } catch {
            cutOff.removeFirst(error.written)
            throw PartialWrite(recorded: 0, cause: error.cause)
        }
    }

    /// Counts a partly written line as recorded, because its rest is kept here.
    private func partialWrite(
        of lines: [UInt8], stopped: DescriptorWriter.WriteError, cutOff: inout [UInt8]
    ) -> PartialWrite {
        let written = lines[..<stopped.written]
        var recorded = written.count { $0 == lineEnd }
        if let last = written.last, last != lineEnd {
            let rest = lines[stopped.written...]
            let end = rest.firstIndex(of: lineEnd) ?? rest.endIndex - 1
            cutOff = Array(rest[...end])
            recorded += 1
        }
        return PartialWrite(recorded: recorded, cause: stopped.cause)
    }
}

extension PartialWrite: CustomStringConvertible {
    public var description: String { cause }
}

private let lineEnd = UInt8(ascii: "\n")

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
