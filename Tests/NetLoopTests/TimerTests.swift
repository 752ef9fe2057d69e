import NetLoop
import TestSupport
import Testing

@Suite struct TimerTests {
    let loop: EventLoop

    init() throws { loop = try EventLoop(index: 0) }

    @Test func timersFireInOrderOfTheirTimes() async throws {
        let order = Tally<Int>(wanted: 5)
        loop.submit { loop in
            for delay in [40, 10, 50, 20, 30] {
                armed(after: .milliseconds(delay), on: loop) { order.add(delay) }
            }
        }
        #expect(try await order.complete.value() == [10, 20, 30, 40, 50])
        loop.stop()
    }

    @Test func timerIsNeverEarlyAndHardlyLate() async throws {
        let passed = Fact<Int64>()
        loop.submit { loop in
            let start = EventLoop.monotonicNanoseconds()
            armed(after: .milliseconds(30), on: loop) { passed.set(EventLoop.monotonicNanoseconds() - start) }
        }
        let nanoseconds = try await passed.value()
        #expect(nanoseconds >= 30_000_000)
        // Generous, because a busy test machine may be late.
        #expect(nanoseconds < 2_000_000_000)
        loop.stop()
    }

    @Test func armingAgainMovesTheTimerBothWays() async throws {
        let order = Tally<String>(wanted: 3)
        loop.submit { loop in
            let later = armed(after: .milliseconds(10), on: loop) { order.add("moved later") }
            let sooner = armed(after: .seconds(3_600), on: loop) { order.add("moved sooner") }
            armed(after: .milliseconds(50), on: loop) { order.add("unmoved") }
            later.arm(after: .milliseconds(90), on: loop)
            sooner.arm(after: .milliseconds(20), on: loop)
        }
        #expect(try await order.complete.value() == ["moved sooner", "unmoved", "moved later"])
        loop.stop()
    }

    @Test func cancelledAndDroppedTimersDoNotFire() async throws {
        let done = Fact<Bool>()
        loop.submit { loop in
            let cancelled = armed(after: .milliseconds(10), on: loop) { Issue.record("a cancelled timer fired") }
            cancelled.cancel()
            #expect(!cancelled.isArmed)
            LoopTimer { Issue.record("a dropped timer fired") }.arm(after: .milliseconds(10), on: loop)
            armed(after: .milliseconds(40), on: loop) { done.set() }
        }
        #expect(try await done.value())
        loop.stop()
    }

    @Test func cancelledTimerCanBeArmedAgain() async throws {
        let count = Tally<Int>(wanted: 2)
        loop.submit { loop in
            let timer = armed(after: .milliseconds(10), on: loop) { count.add(1) }
            timer.cancel()
            timer.arm(after: .milliseconds(20), on: loop)
            armed(after: .milliseconds(40), on: loop) { count.add(2) }
        }
        #expect(try await count.complete.value() == [1, 2])
        loop.stop()
    }

    @Test func timerMayArmItselfAndOthers() async throws {
        let ticks = Tally<Int>(wanted: 5)
        loop.submit { loop in
            let keeper = Keeper()
            let timer = LoopTimer {
                ticks.add(0)
                if ticks.current.count < 5 {
                    keeper.timer?.arm(after: .zero, on: loop)
                } else {
                    keeper.timer = nil
                }
            }
            keeper.timer = timer
            timer.arm(after: .zero, on: loop)
        }
        #expect(try await ticks.complete.value().count == 5)
        loop.stop()
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func thousandsOfTimersFireOnceEach(seed: UInt64) async throws {
        let fired = Tally<Int>(wanted: 5_000)
        loop.submit { loop in
            var random = Lehmer(state: seed)
            for number in 0..<5_000 {
                let timer = armed(after: .milliseconds(random.next() % 200), on: loop) { fired.add(number) }
                for _ in 0..<3 { timer.arm(after: .milliseconds(random.next() % 200), on: loop) }
            }
        }
        #expect(Set(try await fired.complete.value()).count == 5_000, "seed \(seed)")
        loop.stop()
    }
}

/// Arms a timer that keeps itself alive until it has fired.
@discardableResult
private func armed(
    after delay: Duration, on loop: isolated EventLoop, _ fire: @escaping @Sendable () -> Void
) -> LoopTimer {
    let keeper = Keeper()
    let timer = LoopTimer {
        keeper.timer = nil
        fire()
    }
    keeper.timer = timer
    timer.arm(after: delay, on: loop)
    return timer
}

/// A small reproducible generator (Lehmer, 48271).
private struct Lehmer {
    var state: UInt64

    mutating func next() -> Int {
        state = state * 48_271 % 2_147_483_647
        return Int(state)
    }
}
