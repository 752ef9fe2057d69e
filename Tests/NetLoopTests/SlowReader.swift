import Bytes
import Foundation
import NetLoop
import TestSupport

/// Sends a pattern, reads its echo with a pause after every few reads, and checks every byte.
final class SlowReader: StreamHandler {
    struct Outcome: Sendable, Equatable {
        var bytes: Int64
        var isIntact: Bool
    }

    private let pattern: [UInt8]
    private let mayStart: Fact<Bool>
    private let outcome: Fact<Outcome>
    private var isIntact = true
    private var reads = 0
    private var pause: LoopTimer?

    init(pattern: [UInt8], mayStart: Fact<Bool>, outcome: Fact<Outcome>) {
        self.pattern = pattern
        self.mayStart = mayStart
        self.outcome = outcome
    }

    func begin(_ stream: ByteStream, on loop: isolated EventLoop) {
        stream.pauseReading(on: loop)
        stream.outbox.append(pattern)
        stream.finishWriting(on: loop)
        let timer = LoopTimer { [unowned self, unowned stream] in
            if mayStart.current == nil {
                pause?.arm(after: .milliseconds(1), on: loop)
            } else {
                stream.resumeReading(on: loop)
            }
        }
        timer.arm(after: .milliseconds(1), on: loop)
        pause = timer
    }

    func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop) {
        let start = Int(stream.bytesRead) - bytes.count
        let end = min(pattern.count, start + bytes.count)
        let isEqual = pattern.withUnsafeBytes { expected -> Bool in
            guard end - start == bytes.count, let left = expected.baseAddress, let right = bytes.baseAddress
            else { return false }
            return memcmp(left + start, right, bytes.count) == 0
        }
        if !isEqual { isIntact = false }
        reads += 1
        guard reads.isMultiple(of: 16) else { return }
        stream.pauseReading(on: loop)
        pause?.arm(after: .milliseconds(1), on: loop)
    }

    func ended(_ stream: ByteStream, on loop: isolated EventLoop) {
        outcome.set(Outcome(bytes: stream.bytesRead, isIntact: isIntact))
        stream.close(on: loop)
    }

    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) {
        outcome.set(Outcome(bytes: -1, isIntact: false))
    }

    func drained(_ stream: ByteStream, on loop: isolated EventLoop) {}
}
