import NetLoop
import Synchronization
import TestSupport
import Testing
import Text

/// Addresses that must not be dialed.
@Suite struct AddressRuleTests {
    /// Answers with one list after the other, like a name that is rebound between two lookups.
    private final class Rebinding: NameResolving {
        private let answers: Mutex<[[String]]>

        init(_ answers: [String]...) { self.answers = Mutex(answers) }

        func answer(for host: String, later: @escaping @Sendable (NameAnswer) -> Void) -> NameReply {
            let next = answers.withLock { $0.isEmpty ? [] : $0.removeFirst() }
            return .known(.addresses(next.compactMap { HostAddress($0) }))
        }
    }

    private func dial(
        _ resolver: any NameResolving, _ port: Int, _ rules: AddressRules
    ) async throws -> Result<
        DialedSocket, DialFailure
    > {
        let loop = try EventLoop(index: 0)
        let fact = Fact<Result<DialedSocket, DialFailure>>()
        loop.submit { loop in
            Dialer(resolver: resolver).dial(host: "host.test", port: port, rules: rules, on: loop) { fact.set($0) }
        }
        let result = try await fact.value()
        if case .success(let dialed) = result { dialed.close() }
        loop.stop()
        return result
    }

    @Test(arguments: [
        "127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "169.254.169.254", "169.254.0.1", "100.100.100.200",
    ])
    func specialVersion4AddressesAreForbidden(address: String) async throws {
        for spelling in [address, "::ffff:\(address)"] {
            let result = try await dial(Rebinding([spelling]), 80, AddressRules(forbidsThisMachine: true))
            guard case .failure(.forbidden(let dialed)) = result else {
                Issue.record("\(spelling): \(result)")
                continue
            }
            #expect(dialed.contains(address))
        }
    }

    @Test(arguments: ["::1", "::", "fe80::1", "febf::1", "fd00:ec2::254", "fd20:ce::254"])
    func specialVersion6AddressesAreForbidden(address: String) async throws {
        let result = try await dial(Rebinding([address]), 80, AddressRules(forbidsThisMachine: true))
        #expect(result == .failure(.forbidden(address: "[\(address)]:80")))
    }

    /// 192.0.2.0/24 (RFC 5737) and 2001:db8::/32 (RFC 3849) are unassigned: dialing them fails, but not because they
    /// are forbidden.
    @Test(arguments: ["1.0.0.1", "126.255.255.255", "169.253.255.255", "192.0.2.1", "2001:db8::1", "::2", "fec0::1"])
    func otherAddressesAreAllowed(address: String) async throws {
        let loop = try EventLoop(index: 0)
        let fact = Fact<Result<DialedSocket, DialFailure>>()
        loop.submit { loop in
            Dialer(resolver: Rebinding([address])).dial(
                host: "host.test", port: 9, rules: AddressRules(forbidsThisMachine: true), timeout: .milliseconds(20),
                on: loop
            ) { fact.set($0) }
        }
        if case .failure(.forbidden) = try await fact.value() { Issue.record("\(address) is forbidden") }
        loop.stop()
    }

    @Test func loopbackIsDialedWithoutRules() async throws {
        let listener = try Listener.open(host: "127.0.0.1", port: 0)
        let result = try await dial(Rebinding(["127.0.0.1"]), listener.port, .none)
        #expect(try result.get().address == listener.address)
        listener.stop()
    }

    @Test func everyAddressOfANameIsTested() async throws {
        let listener = try Listener.open(host: "127.0.0.1", port: 0)
        let rules = AddressRules(forbidsThisMachine: true)
        let result = try await dial(Rebinding(["::1", "127.0.0.1", "0.0.0.0"]), listener.port, rules)
        #expect(result == .failure(.forbidden(address: "[::1]:\(listener.port)")))
        listener.stop()
    }

    /// The rule applies to the address that is dialed, not to one that the name had before.
    @Test func reboundNameIsTestedAgain() async throws {
        let names = Rebinding(["192.0.2.1"], ["127.0.0.1"])
        #expect(known(names.answer(for: "host.test") { _ in }) != nil)
        let result = try await dial(names, 80, AddressRules(forbidsThisMachine: true))
        #expect(result == .failure(.forbidden(address: "127.0.0.1:80")))
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("localhost", "127.0.0.1"), ("127.0.0.1", "::ffff:127.0.0.1"),
        ("127.0.0.1", "0.0.0.0"), ("0.0.0.0", "127.0.0.1"), ("0.0.0.0", "0.0.0.0"), ("::1", "::1"), ("::1", "::"),
    ])
    func ownListenerIsNeverDialed(listens: String, dialed: String) async throws {
        let rules = AddressRules(ownListeners: [Authority(host: listens, port: 9_802)])
        let result = try await dial(Rebinding([dialed]), 9_802, rules)
        let printed = dialed.contains(":") ? "[\(dialed)]:9802" : "\(dialed):9802"
        #expect(result == .failure(.own(address: printed)))
    }

    @Test func otherListenersNextToOwnOnesAreDialed() async throws {
        // A Mac has only one IPv4 loopback address.
        let listener = try Listener.open(host: "::1", port: 0)
        let rules = AddressRules(ownListeners: [
            Authority(host: "127.0.0.1", port: listener.port),
            Authority(host: "::1", port: 1),
        ])
        let result = try await dial(Rebinding(["::1"]), listener.port, rules)
        #expect(try result.get().address == listener.address)
        listener.stop()
    }
}
