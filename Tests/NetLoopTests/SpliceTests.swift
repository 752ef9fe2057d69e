import CPoll
import Dispatch
import Foundation
import NetLoop
import TestSupport
import Testing

/// Bulk data from one socket to another: spliced through a pipe on Linux, copied elsewhere, with the same result.
@Suite(.serialized) struct SpliceTests {
    /// The relay's loop, and one for both of its sides.
    let middle: EventLoop
    let sides: EventLoop
    private static let bulk = 32 << 20

    init() throws {
        middle = try EventLoop(index: 0)
        sides = try EventLoop(index: 1)
    }

    private func stop() {
        middle.stop()
        sides.stop()
    }

    /// Sockets of a relay: its client, its origin, and the two ends in the middle.
    private struct Road {
        let client: Pair
        let origin: Pair
        let report = Fact<Relay.Report>()
        let stuck = Fact<Bool>()
        let clientHeard = Fact<Talker.Outcome>()
        let originHeard = Fact<Talker.Outcome>()

        init() throws {
            client = try Pair()
            origin = try Pair()
        }

        func open(on loop: EventLoop, takesAll: Bool = false) {
            loop.submit { loop in
                Relay(outcome: report, stuck: stuck, takesAll: takesAll).join(client.far, origin.near, on: loop)
            }
        }
    }

    private func side(
        _ descriptor: Int32, says count: Int, outcome: Fact<Talker.Outcome>, hangsUpAfter: Int = .max,
        readsWhen mayRead: Fact<Bool>? = nil
    ) {
        sides.submit { loop in
            let talker = Talker(says: count, hangsUpAfter: hangsUpAfter, outcome: outcome)
            let stream = ByteStream(descriptor: descriptor, handler: talker)
            try? stream.attach(to: loop)
            if let mayRead { stream.readOnly(when: mayRead, on: loop) }
            talker.talk(stream, on: loop)
        }
    }

    @Test func bulkArrivesWholeAndInOrderBothWays() async throws {
        let road = try Road()
        road.open(on: middle)
        side(road.client.near, says: Self.bulk, outcome: road.clientHeard)
        side(road.origin.far, says: Self.bulk + 1, outcome: road.originHeard)
        #expect(try await road.clientHeard.value(within: 60) == Talker.Outcome(heard: Self.bulk + 1))
        #expect(try await road.originHeard.value(within: 60) == Talker.Outcome(heard: Self.bulk))
        let report = try await road.report.value()
        #expect(report.passed > Self.bulk)
        #if os(Linux)
        #expect(report.largest > 65_536, "no data was spliced")
        #endif
        stop()
    }

    @Test func slowReaderHoldsTheSpliceBack() async throws {
        let road = try Road()
        road.open(on: middle)
        side(road.client.near, says: 0, outcome: road.clientHeard, readsWhen: road.stuck)
        side(road.origin.far, says: Self.bulk, outcome: road.originHeard)
        #expect(try await road.stuck.value(within: 60))
        #expect(try await road.clientHeard.value(within: 60) == Talker.Outcome(heard: Self.bulk))
        let report = try await road.report.value()
        #expect(report.pauses > 0)
        // A full pipe, or the high-water mark plus one more copy.
        #expect(report.mostWaiting <= max(1 << 20, Relay.highWater + 65_536))
        stop()
    }

    @Test func outboxAndEndWaitForWhatIsInThePipe() async throws {
        let road = try Road()
        road.open(on: middle, takesAll: true)
        // The origin sends everything and closes its half before the client reads a byte. The client is still sending.
        side(road.origin.far, says: Self.bulk, outcome: road.originHeard)
        side(road.client.near, says: Self.bulk / 2, outcome: road.clientHeard, readsWhen: road.stuck)
        #expect(try await road.clientHeard.value(within: 60) == Talker.Outcome(heard: Self.bulk))
        #expect(try await road.originHeard.value(within: 60) == Talker.Outcome(heard: Self.bulk / 2))
        let report = try await road.report.value()
        #expect(report.failures.isEmpty && report.mostWaiting > 1 << 20)
        stop()
    }

    @Test("a reset in the middle ends that relay only", arguments: [true, false])
    func reset(byReader: Bool) async throws {
        for turn in 0..<3 {
            let road = try Road()
            road.open(on: middle)
            let breaks = turn == 1 ? Self.bulk / 2 : .max
            side(
                road.client.near, says: byReader ? 0 : Self.bulk * 2, outcome: road.clientHeard, hangsUpAfter: breaks)
            side(road.origin.far, says: Self.bulk, outcome: road.originHeard)
            if turn == 1 {
                let report = try await road.report.value(within: 60)
                #expect([ECONNRESET, EPIPE].contains(try #require(report.failures.first)))
                // An origin that saw the reader's end first gets no error afterwards.
                let heard = try await road.originHeard.value(within: 60)
                if !byReader { #expect(heard.isIntact && [ECONNRESET, EPIPE].contains(heard.errno)) }
            } else {
                #expect(try await road.clientHeard.value(within: 60) == Talker.Outcome(heard: Self.bulk))
            }
        }
        stop()
    }

    @Test func moreStuckRelaysThanPipesAreServed() async throws {
        let roads = try (0..<40).map { _ in try Road() }
        let mayRead = Fact<Bool>()
        for road in roads {
            road.open(on: middle)
            side(road.client.near, says: 0, outcome: road.clientHeard, readsWhen: mayRead)
            side(road.origin.far, says: Self.bulk / 2, outcome: road.originHeard)
        }
        for road in roads { #expect(try await road.stuck.value(within: 60)) }
        #if os(Linux)
        // Sixteen per loop; another test's loop may still hold its two.
        let ends = Self.largePipeEnds()
        #expect(ends > 0 && ends <= 2 * (16 + 4), "\(ends) descriptors of pipes")
        #endif
        mayRead.set()
        for road in roads {
            #expect(try await road.clientHeard.value(within: 60) == Talker.Outcome(heard: Self.bulk / 2))
        }
        stop()
    }

    #if os(Linux)
    /// The number of descriptors of splice pipes, recognized by their size: no other pipes are that large.
    private static func largePipeEnds() -> Int {
        // F_GETPIPE_SZ, which Glibc's module does not export: fcntl(2).
        (0..<4_096).count { fcntl($0, 1_032) >= 1 << 18 }
    }
    #endif
}

extension ByteStream {
    /// Pauses reading until the fact is set.
    func readOnly(when mayRead: Fact<Bool>, on loop: isolated EventLoop) {
        pauseReading(on: loop)
        let keeper = Keeper()
        let timer = LoopTimer {
            if mayRead.current == nil {
                keeper.timer?.arm(after: .milliseconds(1), on: loop)
            } else {
                self.resumeReading(on: loop)
                keeper.timer = nil
            }
        }
        keeper.timer = timer
        timer.arm(after: .milliseconds(1), on: loop)
    }
}
