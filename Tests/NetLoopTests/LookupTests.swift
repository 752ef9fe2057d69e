import CPoll
import Dispatch
import NetLoop
import Synchronization
import TestSupport
import Testing

/// Names whose servers are dead: their lookups block until the test is over.
@Suite struct LookupTests {
    private let home = NameAnswer.addresses([HostAddress("127.0.0.1")].compactMap { $0 })

    private final class DeadNames: Sendable {
        let begun = Mutex<[String]>([])
        let over = DispatchSemaphore(value: 0)
        let home: NameAnswer

        init(home: NameAnswer) { self.home = home }

        func look(_ name: String) -> NameAnswer {
            begun.withLock { $0.append(name) }
            if name.hasPrefix("dead") {
                over.wait()
                over.signal()
            }
            return home
        }
    }

    @Test func eightDeadNamesDoNotBlockOthers() async throws {
        let names = DeadNames(home: home)
        let resolver = Resolver(capacity: Resolver.Capacity(long: .milliseconds(50))) { names.look($0) }
        for number in 0..<8 { _ = resolver.answer(for: "dead\(number).test") { _ in } }
        let living = Fact<NameAnswer>()
        _ = resolver.answer(for: "living.test") { living.set($0) }
        let answer = try? await living.value(within: 60)
        names.over.signal()
        #expect(answer == home)
    }

    @Test func abandonedNamesAreNotLookedUp() async throws {
        let names = DeadNames(home: home)
        let capacity = Resolver.Capacity(prompt: 1, all: 1, long: .seconds(3_600))
        let resolver = Resolver(capacity: capacity) { names.look($0) }
        _ = resolver.answer(for: "dead.test") { _ in }
        guard case .pending(let question) = resolver.answer(for: "abandoned.test", later: { _ in }) else {
            Issue.record("the name was known without a lookup")
            return
        }
        let wanted = Fact<NameAnswer>()
        _ = resolver.answer(for: "wanted.test") { wanted.set($0) }
        question.abandon()
        question.abandon()
        names.over.signal()
        #expect(try await wanted.value() == home)
        #expect(names.begun.withLock { $0 } == ["dead.test", "wanted.test"])
    }

    @Test func tooManyNamesFailImmediately() {
        let names = DeadNames(home: home)
        let capacity = Resolver.Capacity(prompt: 1, all: 1, queued: 2, long: .seconds(3_600))
        let resolver = Resolver(capacity: capacity) { names.look($0) }
        _ = resolver.answer(for: "dead.test") { _ in }
        for number in 0..<2 { #expect(known(resolver.answer(for: "\(number).test") { _ in }) == nil) }
        #expect(known(resolver.answer(for: "2.test") { _ in }) == .failed(code: EAI_AGAIN))
        // A second lookup of a queued name joins the first.
        #expect(known(resolver.answer(for: "1.test") { _ in }) == nil)
        names.over.signal()
    }

    @Test func namesOfTheHostsFileDoNotQueue() async throws {
        let names = DeadNames(home: home)
        let capacity = Resolver.Capacity(prompt: 1, all: 1, long: .seconds(3_600))
        let resolver = Resolver(capacity: capacity) { names.look($0) }
        _ = resolver.answer(for: "dead.test") { _ in }
        let local = Fact<NameAnswer>()
        _ = resolver.answer(for: "localhost") { local.set($0) }
        #expect(try await local.value() == home)
        names.over.signal()
    }

    /// A cancelled dial abandons its lookup, too.
    @Test func cancelledDialAbandonsItsName() async throws {
        let names = DeadNames(home: home)
        let capacity = Resolver.Capacity(prompt: 1, all: 1, long: .seconds(3_600))
        let resolver = Resolver(capacity: capacity) { names.look($0) }
        _ = resolver.answer(for: "dead.test") { _ in }
        let loop = try EventLoop(index: 0)
        let timedOut = Fact<Bool>()
        loop.submit { loop in
            let dialer = Dialer(resolver: resolver)
            dialer.dial(host: "abandoned.test", port: 1, timeout: .milliseconds(20), on: loop) { result in
                timedOut.set(result == .failure(.timeout))
            }
        }
        #expect(try await timedOut.value())
        let wanted = Fact<NameAnswer>()
        _ = resolver.answer(for: "wanted.test") { wanted.set($0) }
        names.over.signal()
        #expect(try await wanted.value() == home)
        #expect(names.begun.withLock { $0 } == ["dead.test", "wanted.test"])
        loop.stop()
    }
}
