import CPoll
import Dispatch
import NetLoop
import Synchronization
import TestSupport
import Testing

/// Lookups of several clients, one of which asks for names whose servers are dead.
@Suite struct LookupSharingTests {
    private let names = SlowNames()

    /// A lookup of a name that begins with "dead" blocks until the test is over.
    private final class SlowNames: Sendable {
        let home = NameAnswer.addresses([HostAddress("127.0.0.1")].compactMap { $0 })
        let dead = Mutex<Set<String>>([])
        let over = DispatchSemaphore(value: 0)

        func look(_ name: String) -> NameAnswer {
            guard name.hasPrefix("dead") else { return home }
            dead.withLock { _ = $0.insert(name) }
            over.wait()
            over.signal()
            return .failed(code: EAI_AGAIN)
        }
    }

    private func resolver(answerLifetime: Duration = .seconds(5)) -> Resolver {
        let names = names
        return Resolver(capacity: Resolver.Capacity(long: .milliseconds(50)), answerLifetime: answerLifetime) {
            names.look($0)
        }
    }

    private func answer(_ resolver: Resolver, _ host: String, from asker: String) async throws -> NameAnswer {
        let fact = Fact<NameAnswer>()
        if case .known(let answer) = resolver.answer(for: host, from: asker, later: { fact.set($0) }) { return answer }
        return try await fact.value()
    }

    @Test("names of others are answered within a second while one client asks for 50 dead names a second")
    func otherClients() async throws {
        defer { names.over.signal() }
        let resolver = resolver()
        var times: [Duration] = []
        for round in 0..<30 {
            for number in 0..<10 {
                _ = resolver.answer(for: "dead\(round)-\(number).test", from: "192.0.2.1") { _ in }
            }
            let begun = ContinuousClock.now
            #expect(try await answer(resolver, "good\(round).example.org", from: "192.0.2.2") == names.home)
            times.append(.now - begun)
        }
        #expect(times.sorted()[15] < .seconds(1), "\(times)")
        #expect(names.dead.withLock { $0.count } <= 32)
    }

    @Test("dead names below one domain hold four threads, whoever asks for them")
    func oneDomain() async throws {
        defer { names.over.signal() }
        let resolver = resolver()
        for number in 0..<100 {
            _ = resolver.answer(for: "dead\(number).dead.test", from: "192.0.2.\(number)") { _ in }
        }
        #expect(try await answer(resolver, "good.example.org", from: "192.0.2.200") == names.home)
        #expect(names.dead.withLock { $0.count } <= 4)
    }

    @Test("a name that had addresses is answered even to a client that asks for dead names")
    func knownName() async throws {
        defer { names.over.signal() }
        let resolver = resolver(answerLifetime: .zero)
        #expect(try await answer(resolver, "good.example.org", from: "192.0.2.1") == names.home)
        for client in 1...3 {
            for number in 0..<200 {
                _ = resolver.answer(for: "dead\(client)-\(number).test", from: "192.0.2.\(client)") { _ in }
            }
        }
        #expect(try await answer(resolver, "good.example.org", from: "192.0.2.1") == names.home)
    }

    @Test("a name in another client's line is answered in the turn of the first that can have it")
    func sameName() async throws {
        defer { names.over.signal() }
        let resolver = resolver()
        for number in 0..<200 { _ = resolver.answer(for: "dead\(number).test", from: "192.0.2.1") { _ in } }
        _ = resolver.answer(for: "good.example.org", from: "192.0.2.1") { _ in }
        #expect(try await answer(resolver, "good.example.org", from: "192.0.2.2") == names.home)
    }

    @Test("one client does not fill the line for names")
    func line() async throws {
        defer { names.over.signal() }
        let resolver = resolver()
        for number in 0..<2_000 { _ = resolver.answer(for: "dead\(number).test", from: "192.0.2.1") { _ in } }
        #expect(try await answer(resolver, "good.example.org", from: "192.0.2.2") == names.home)
    }

    @Test("a name that timed out is not looked up again for a while")
    func timedOut() async throws {
        let count = Mutex(0)
        // Every failure counts as one that took long.
        let resolver = Resolver(capacity: Resolver.Capacity(dead: .zero), failureLifetime: .zero) { _ in
            count.withLock { $0 += 1 }
            return .failed(code: EAI_AGAIN)
        }
        #expect(try await answer(resolver, "dead.test", from: "") == .failed(code: EAI_AGAIN))
        #expect(try await answer(resolver, "dead.test", from: "") == .failed(code: EAI_AGAIN))
        #expect(count.withLock { $0 } == 1)
    }
}
