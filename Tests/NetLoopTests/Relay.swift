import Bytes
import Foundation
import NetLoop
import TestSupport

/// Two streams spliced in both directions, paused when the reader is slow, like in a gate.
final class Relay: StreamHandler {
    struct Report: Sendable {
        /// Bytes that went through a splice.
        var passed = 0
        /// The largest single splice; a copy passes at most the loop's buffer.
        var largest = 0
        var mostWaiting = 0
        var pauses = 0
        var failures: [Int32] = []
    }

    private var ends: [ByteStream] = []
    private var ended = 0
    private var report = Report()
    private let outcome: Fact<Report>
    private let stuck: Fact<Bool>

    private let takesAll: Bool

    /// - Parameters:
    /// - stuck: set when a side is paused.
    /// - takesAll: true to never pause; `stuck` is then set when the right side has ended.
    init(outcome: Fact<Report>, stuck: Fact<Bool>, takesAll: Bool) {
        self.outcome = outcome
        self.stuck = stuck
        self.takesAll = takesAll
    }

    func join(_ left: Int32, _ right: Int32, on loop: isolated EventLoop) {
        ends = [left, right].map { ByteStream(descriptor: $0, handler: self) }
        for end in ends { try? end.attach(to: loop) }
    }

    private func other(than stream: ByteStream) -> ByteStream { ends[0] === stream ? ends[1] : ends[0] }

    private func holdBack(_ stream: ByteStream, for target: ByteStream, on loop: isolated EventLoop) {
        report.mostWaiting = max(report.mostWaiting, target.waitingBytes)
        guard !takesAll, target.waitingBytes > Self.highWater else { return }
        report.pauses += 1
        stuck.set()
        stream.pauseReading(on: loop)
    }

    func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop) {
        let target = other(than: stream)
        target.outbox.append(bytes)
        target.flush(on: loop)
        holdBack(stream, for: target, on: loop)
    }

    func spliceTarget(for stream: ByteStream, on loop: isolated EventLoop) -> SpliceTarget? {
        SpliceTarget(to: other(than: stream))
    }

    func spliced(_ count: Int, from stream: ByteStream, to target: ByteStream, on loop: isolated EventLoop) {
        report.passed += count
        report.largest = max(report.largest, count)
        holdBack(stream, for: target, on: loop)
    }

    func ended(_ stream: ByteStream, on loop: isolated EventLoop) {
        other(than: stream).finishWriting(on: loop)
        ended += 1
        if takesAll, stream === ends[1] { stuck.set() }
        if ended == 2 { outcome.set(report) }
    }

    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) {
        report.failures.append(errno)
        outcome.set(report)
        other(than: stream).abort(on: loop)
    }

    func drained(_ stream: ByteStream, on loop: isolated EventLoop) { other(than: stream).resumeReading(on: loop) }

    static let highWater = 262_144
}

/// A side of a relay: sends `total` bytes of a pattern and its end, and compares the received bytes with the same
/// pattern.
final class Talker: StreamHandler {
    struct Outcome: Sendable, Equatable {
        var heard: Int
        var isIntact = true
        var errno: Int32 = 0
    }

    private let outcome: Fact<Outcome>
    private let total: Int
    private let hangsUpAfter: Int
    private var said = 0
    private var isIntact = true

    /// - Parameters:
    /// - says: the number of bytes to send.
    /// - hangsUpAfter: the number of received bytes after which it resets the connection.
    init(says total: Int, hangsUpAfter: Int = .max, outcome: Fact<Outcome>) {
        self.total = total
        self.hangsUpAfter = hangsUpAfter
        self.outcome = outcome
    }

    func talk(_ stream: ByteStream, on loop: isolated EventLoop) {
        while said < total, !stream.isWriteBlocked, stream.isOpen {
            let count = min(Self.period, total - said)
            let start = said % Self.period
            Self.pattern.withUnsafeBytes {
                stream.send(UnsafeRawBufferPointer(rebasing: $0[start..<(start + count)]), on: loop)
            }
            said += count
        }
        if said == total { stream.finishWriting(on: loop) }
    }

    func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop) {
        let start = (Int(stream.bytesRead) - bytes.count) % Self.period
        Self.pattern.withUnsafeBytes { expected in
            guard let left = expected.baseAddress, let right = bytes.baseAddress else { return }
            if memcmp(left + start, right, bytes.count) != 0 { isIntact = false }
        }
        if stream.bytesRead >= hangsUpAfter { stream.abort(on: loop) }
    }

    func ended(_ stream: ByteStream, on loop: isolated EventLoop) {
        outcome.set(Outcome(heard: Int(stream.bytesRead), isIntact: isIntact))
    }

    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) {
        outcome.set(Outcome(heard: Int(stream.bytesRead), isIntact: isIntact, errno: errno))
    }

    func drained(_ stream: ByteStream, on loop: isolated EventLoop) { talk(stream, on: loop) }

    /// A prime, so no multiple of any buffer.
    private static let period = 65_521
    /// More than one period, so that a read of 64 KiB matches at any start.
    private static let pattern: [UInt8] = {
        let once = (0..<period).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 11) }
        return once + once + once
    }()
}
