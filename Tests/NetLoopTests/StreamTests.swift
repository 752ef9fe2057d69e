import Bytes
import CPoll
import NetLoop
import TestSupport
import Testing

@Suite struct StreamTests {
    let loop: EventLoop

    init() throws { loop = try EventLoop(index: 0) }

    @Test func slowReaderPausesTheSender() async throws {
        let pair = try Pair()
        let other = try EventLoop(index: 1)
        // 8 MiB with a prime period, which is not a multiple of any buffer size.
        let period = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 11) }
        var pattern: [UInt8] = []
        while pattern.count < 8 << 20 { pattern += period }
        pattern.removeLast(pattern.count - (8 << 20))
        let (stuck, longest, outcome) = (Fact<Bool>(), Fact<Int>(), Fact<SlowReader.Outcome>())
        other.open(pair.far, { Echo(stuck: stuck, longest: longest) })
        loop.submit { [pattern] loop in
            let reader = SlowReader(pattern: pattern, mayStart: stuck, outcome: outcome)
            let stream = ByteStream(descriptor: pair.near, handler: reader)
            guard (try? stream.attach(to: loop)) != nil else { return }
            reader.begin(stream, on: loop)
        }
        #expect(try await stuck.value())
        #expect(try await outcome.value(within: 60) == SlowReader.Outcome(bytes: 8 << 20, isIntact: true))
        #expect(try await longest.value() < ByteStream.lowWater + 65_536)
        loop.stop()
        other.stop()
    }

    @Test func halfCloseLeavesTheOtherDirectionOpen() async throws {
        let pair = try Pair()
        let answer = Fact<[UInt8]>()
        // The far side answers only after it has read the end.
        loop.open(
            pair.far,
            {
                Script(end: { stream, loop in
                    stream.outbox.append("late answer")
                    stream.finishWriting(on: loop)
                })
            })
        loop.open(
            pair.near, { Script(bytes: { bytes, _, _ in answer.set(Array(bytes)) }) },
            then: { stream, loop in
                stream.outbox.append("question")
                stream.finishWriting(on: loop)
            })
        #expect(try await answer.value() == Array("late answer".utf8))
        loop.stop()
    }

    @Test func abortArrivesAsReset() async throws {
        let pair = try Pair()
        let failure = Fact<Int32>()
        loop.open(pair.far, { Script(failure: { _, code, _ in failure.set(code) }) })
        loop.open(pair.near, { Script() }, then: { stream, loop in stream.abort(on: loop) })
        #expect(try await failure.value() == ECONNRESET)
        loop.stop()
    }

    @Test func pausedStreamReportsAReset() async throws {
        let pair = try Pair()
        let failure = Fact<Int32>()
        loop.open(
            pair.far, { Script(failure: { _, code, _ in failure.set(code) }) },
            then: { stream, loop in stream.pauseReading(on: loop) })
        loop.open(pair.near, { Script() }, then: { stream, loop in stream.abort(on: loop) })
        #expect(try await failure.value() == ECONNRESET)
        loop.stop()
    }

    @Test func answerThatCameBeforeTheResetIsDelivered() async throws {
        let pair = try Pair()
        let (bytes, failure) = (Fact<[UInt8]>(), Fact<Int32>())
        // A peer that answers, ignores the request and resets.
        let early = Array("413".utf8)
        #expect(early.withUnsafeBytes { cpoll_write(pair.far, $0.baseAddress, 3) } == 3)
        #expect(early.withUnsafeBytes { cpoll_write(pair.near, $0.baseAddress, 3) } == 3)
        close(pair.far)
        loop.open(
            pair.near,
            {
                Script(
                    bytes: { taken, _, _ in bytes.set(Array(taken)) },
                    failure: { _, code, _ in failure.set(code) })
            },
            then: { stream, loop in
                stream.outbox.append("more of the request")
                stream.flush(on: loop)
            })
        #expect(try await bytes.value() == early)
        #expect([ECONNRESET, EPIPE].contains(try await failure.value()))
        loop.stop()
    }

    @Test func pausedStreamDeliversNothingUntilResumed() async throws {
        let pair = try Pair()
        let (bytes, isResumed) = (Fact<Bool>(), Fact<Bool>())
        loop.open(
            pair.far, { Script(bytes: { _, _, _ in bytes.set(isResumed.current == true) }) },
            then: { stream, loop in
                stream.pauseReading(on: loop)
                stream.resume(after: .milliseconds(60), telling: isResumed, on: loop)
            })
        loop.open(
            pair.near, { Script() },
            then: { stream, loop in
                stream.outbox.append("waits")
                stream.flush(on: loop)
            })
        #expect(try await bytes.value())
        loop.stop()
    }

    @Test func sendFollowsTheOutbox() async throws {
        let pair = try Pair()
        let end = Fact<Int64>()
        let parts = [UInt8](repeating: 7, count: 3 << 20)
        loop.open(
            pair.far,
            {
                Script(end: { stream, loop in
                    end.set(stream.bytesRead)
                    stream.close(on: loop)
                })
            })
        loop.open(
            pair.near, { Script() },
            then: { stream, loop in
                for _ in 0..<2 { parts.withUnsafeBytes { stream.send($0, on: loop) } }
                #expect(stream.isWriteBlocked)
                stream.finishWriting(on: loop)
            })
        #expect(try await end.value() == 6 << 20)
        loop.stop()
    }
}

extension ByteStream {
    func resume(after delay: Duration, telling fact: Fact<Bool>, on loop: isolated EventLoop) {
        let keeper = Keeper()
        let timer = LoopTimer {
            fact.set()
            self.resumeReading(on: loop)
            keeper.timer = nil
        }
        keeper.timer = timer
        timer.arm(after: delay, on: loop)
    }
}

/// Keeps a timer until it has fired.
final class Keeper {
    var timer: LoopTimer?
}
