import Bytes
import CPoll
import NetLoop
import Synchronization
import TestSupport
import Testing

@Suite struct LoopLifeTests {
    let loop: EventLoop

    init() throws { loop = try EventLoop(index: 3) }

    @Test func closingInsideAHandlerIsSafeAndSilent() async throws {
        let pair = try Pair()
        let (closed, gone) = (Fact<Bool>(), Fact<Bool>())
        loop.open(
            pair.far,
            {
                Script(
                    bytes: { _, stream, loop in
                        stream.close(on: loop)
                        stream.close(on: loop)
                        closed.set(!stream.isOpen && stream.handler == nil)
                    },
                    end: { _, _ in Issue.record("a closed stream reported its end") },
                    failure: { _, _, _ in Issue.record("a closed stream reported a failure") })
            })
        loop.open(
            pair.near,
            {
                Script(end: { stream, loop in
                    gone.set()
                    stream.close(on: loop)
                })
            },
            then: { stream, loop in
                stream.outbox.append("go")
                stream.flush(on: loop)
            })
        #expect(try await closed.value())
        #expect(try await gone.value())
        loop.stop()
    }

    /// Two streams are ready in one batch; the first to run closes the other and puts a new one on its descriptor.
    @Test func staleReportsAreNotDelivered() async throws {
        let (left, right, fresh) = (try Pair(), try Pair(), try Pair())
        let done = Fact<Bool>()
        for far in [left.far, right.far] {
            #expect(cpoll_write(far, "x", 1) == 1)
        }
        loop.submit { loop in
            let team = Team(fresh: fresh.near, done: done)
            team.begin([left.near, right.near], on: loop)
        }
        #expect(try await done.value())
        loop.stop()
        for far in [left.far, right.far, fresh.far] { close(far) }
    }

    @Test func afterBatchRunsOnceAfterEveryEventOfTheBatch() async throws {
        let order = Tally<String>(wanted: 3)
        loop.submit { loop in
            loop.afterBatch {
                order.add("after")
                loop.afterBatch { order.add("added meanwhile") }
            }
            order.add("work")
        }
        #expect(try await order.complete.value() == ["work", "after", "added meanwhile"])
        loop.stop()
    }

    @Test func afterBatchWorksFromAsynchronousCode() async throws {
        let fact = Fact<Bool>()
        await loop.later(fact)
        #expect(try await fact.value())
        loop.stop()
    }

    @Test func stoppedLoopClosesItsStreamsAndAcceptsNoMore() async throws {
        let (pair, second) = (try Pair(), try Pair())
        let end = Fact<Bool>()
        let other = try EventLoop(index: 4)
        other.open(pair.far, { Script(end: { _, _ in end.set() }) })
        loop.open(pair.near, { Script(end: { _, _ in Issue.record("a stopped loop called a handler") }) })
        loop.stop()
        let refusal = Fact<NetError?>()
        loop.submit { loop in
            let stream = ByteStream(descriptor: second.near, handler: nil)
            do throws(NetError) {
                try stream.attach(to: loop)
                refusal.set(nil)
            } catch {
                refusal.set(error)
            }
        }
        #expect(try await end.value())
        #expect(try await refusal.value() == .stopped)
        other.stop()
        close(second.far)
    }

    @Test func manyConnectionsEchoOverTwoLoops() async throws {
        let loops = [loop, try EventLoop(index: 4)]
        let listener = try Listener.open(host: "127.0.0.1", port: 0)
        let perLoop = Mutex<[Int: Int]>([:])
        listener.start(loops: loops) { descriptor, peer, loop in
            perLoop.withLock { $0[loop.index, default: 0] += 1 }
            let stream = ByteStream(descriptor: descriptor, handler: Echo(), peerAddress: peer)
            try? stream.attach(to: loop)
        }
        let answers = Tally<Int64>(wanted: 200)
        let dialer = Dialer()
        let port = listener.port
        for index in 0..<200 {
            loops[index % 2].submit { loop in
                dialer.dial(host: "127.0.0.1", port: port, on: loop) { result in
                    guard case .success(let dialed) = result else { return answers.add(-1) }
                    talk(over: dialed, answers, on: loop)
                }
            }
        }
        #expect(try await answers.complete.value().allSatisfy { $0 == 5 })
        #expect(perLoop.withLock { $0 } == [3: 100, 4: 100])
        listener.stop()
        loops.forEach { $0.stop() }
    }
}

private func talk(over dialed: DialedSocket, _ answers: Tally<Int64>, on loop: isolated EventLoop) {
    let script = Script(end: { stream, loop in
        answers.add(stream.bytesRead)
        stream.close(on: loop)
    })
    let stream = ByteStream(dialed, handler: script)
    try? stream.attach(to: loop)
    stream.outbox.append("hello")
    stream.finishWriting(on: loop)
}

extension EventLoop {
    fileprivate func later(_ fact: Fact<Bool>) {
        afterBatch { fact.set() }
    }
}

/// The first stream that receives bytes closes the other, whose descriptor number is then reused for a fresh one.
private final class Team: StreamHandler {
    private let fresh: Int32
    private let done: Fact<Bool>
    private var streams: [ByteStream] = []

    init(fresh: Int32, done: Fact<Bool>) {
        self.fresh = fresh
        self.done = done
    }

    func begin(_ descriptors: [Int32], on loop: isolated EventLoop) {
        streams = descriptors.map { ByteStream(descriptor: $0, handler: self) }
        for stream in streams { try? stream.attach(to: loop) }
    }

    func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop) {
        guard streams.count == 2 else {
            Issue.record("a stale report was delivered")
            return
        }
        for other in streams where other !== stream { other.close(on: loop) }
        // The lowest free number is the one just closed.
        let reused = dup(fresh)
        close(fresh)
        let script = Script(
            bytes: { _, _, _ in Issue.record("a stale report reached the new stream") },
            end: { _, _ in Issue.record("a stale report reached the new stream") })
        let tenant = ByteStream(descriptor: reused, handler: script)
        try? tenant.attach(to: loop)
        streams = []
        // Two batches later every report of this one has been delivered.
        let (done, home) = (done, loop as EventLoop)
        home.submit { _ in home.submit { _ in done.set() } }
    }

    func ended(_ stream: ByteStream, on loop: isolated EventLoop) {}
    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) {}
    func drained(_ stream: ByteStream, on loop: isolated EventLoop) {}
}
