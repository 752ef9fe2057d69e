import Bytes
import Foundation
import NetLoop

/// Two streams spliced both ways, held back where the reader is slow, as a gate joins them.
final class Relay: StreamHandler {
    struct Report: Sendable {
        /// Bytes that went by a splice.
        var passed = 0
        /// The most at once: a copy passes no more than the loop's buffer holds.
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
    ///   - stuck: told when a side is held back.
    ///   - takesAll: holds nobody back; `stuck` is told when the right side has said its end.
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

/// A side of a relay: says so many bytes of a pattern and then its end, and checks what it hears against the same.
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
    ///   - says: how many bytes.
    ///   - hangsUpAfter: resets the connection once it has heard so many.
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
    /// More than one period, so that a read of 64 KiB finds its like wherever it begins.
    private static let pattern: [UInt8] = {
        let once = (0..<period).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 11) }
        return once + once + once
    }()
}
