import Dispatch
import NetLoop
import Synchronization
import TestSupport
import Testing

@Suite struct ResolverTests {
    private let home = NameAnswer.addresses([HostAddress("127.0.0.1")].compactMap { $0 })

    @Test func concurrentLookupsOfANameAreMerged() async throws {
        let asked = Mutex(0)
        let gate = DispatchSemaphore(value: 0)
        let home = home
        let resolver = Resolver(answerLifetime: .seconds(600)) { _ in
            asked.withLock { $0 += 1 }
            gate.wait()
            return home
        }
        let answers = Tally<NameAnswer>(wanted: 10)
        for _ in 0..<10 { #expect(known(resolver.answer(for: "a.test") { answers.add($0) }) == nil) }
        gate.signal()
        #expect(try await answers.complete.value().allSatisfy { $0 == home })
        #expect(asked.withLock { $0 } == 1)
        // The answer is cached from now on.
        #expect(known(resolver.answer(for: "a.test") { _ in Issue.record("looked up again") }) == home)
    }

    @Test func differentNamesDoNotWaitForEachOther() async throws {
        let gate = DispatchSemaphore(value: 0)
        let home = home
        let resolver = Resolver { name in
            if name == "slow.test" { gate.wait() }
            return home
        }
        let (slow, fast) = (Fact<NameAnswer>(), Fact<NameAnswer>())
        _ = resolver.answer(for: "slow.test") { slow.set($0) }
        _ = resolver.answer(for: "fast.test") { fast.set($0) }
        #expect(try await fast.value() == home)
        #expect(slow.current == nil)
        gate.signal()
        #expect(try await slow.value() == home)
    }

    @Test func failuresAreCached() async throws {
        let asked = Mutex(0)
        let resolver = Resolver(failureLifetime: .seconds(60)) { _ in
            asked.withLock { $0 += 1 }
            return .failed(code: -2)
        }
        let first = Fact<NameAnswer>()
        _ = resolver.answer(for: "gone.test") { first.set($0) }
        #expect(try await first.value() == .failed(code: -2))
        #expect(known(resolver.answer(for: "gone.test") { _ in }) == .failed(code: -2))
        #expect(asked.withLock { $0 } == 1)
    }

    @Test func withoutALifetimeAnswersAreNotCached() async throws {
        let home = home
        let resolver = Resolver(answerLifetime: .zero) { _ in home }
        let first = Fact<NameAnswer>()
        _ = resolver.answer(for: "a.test") { first.set($0) }
        _ = try await first.value()
        #expect(known(resolver.answer(for: "a.test") { _ in }) == nil)
    }

    @Test(arguments: ["192.0.2.1", "2001:db8::1", "[2001:db8::1]", "3221225985", "192.0.513", "0xc0.0.2.1"])
    func literalsAreNeverLookedUp(literal: String) {
        let resolver = Resolver { _ in
            Issue.record("looked up a literal")
            return .failed(code: 0)
        }
        #expect(known(resolver.answer(for: literal) { _ in }) != nil)
    }

    @Test func systemKnowsLocalhost() async throws {
        let answer = Fact<NameAnswer>()
        _ = Resolver().answer(for: "localhost") { answer.set($0) }
        guard case .addresses(let list) = try await answer.value() else {
            Issue.record("localhost has no address")
            return
        }
        #expect(list.contains { $0.description == "127.0.0.1" || $0.description == "::1" })
    }

    @Test func systemReportsMissingNames() async throws {
        // RFC 6761 section 6.4: names under .invalid never exist.
        let answer = Fact<NameAnswer>()
        _ = Resolver().answer(for: "nobody.invalid") { answer.set($0) }
        guard case .failed(let code) = try await answer.value() else {
            Issue.record("a name under .invalid has an address")
            return
        }
        #expect(code != 0)
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("[::1]", "::1"), ("2001:DB8:0:0::1", "2001:db8::1"),
        ("::ffff:1.2.3.4", "::ffff:1.2.3.4"),
    ])
    func addressesPrintAsTheyAreCommonlyWritten(literal: String, printed: String) {
        #expect(HostAddress(literal)?.description == printed)
    }

    @Test(arguments: ["", "localhost", "1.2.3", "01.2.3.4.5", "[127.0.0.1]", "::1]", "1.2.3.4 ", "fe80::1%lo"])
    func otherTextIsNotAnAddress(text: String) {
        #expect(HostAddress(text) == nil)
    }
}

/// The immediate answer of a reply; nil if a lookup is pending.
func known(_ reply: NameReply) -> NameAnswer? {
    if case .known(let answer) = reply { answer } else { nil }
}
