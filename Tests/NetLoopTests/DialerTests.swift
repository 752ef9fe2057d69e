import CPoll
import NetLoop
import TestSupport
import Testing

/// Answers immediately with a fixed list, or never.
private struct FixedNames: NameResolving {
    let answer: NameAnswer?

    init(_ literals: String...) { answer = .addresses(literals.compactMap { HostAddress($0) }) }

    init(answer: NameAnswer?) { self.answer = answer }

    func answer(for host: String, later: @escaping @Sendable (NameAnswer) -> Void) -> NameReply {
        answer.map(NameReply.known) ?? .pending(Lookup {})
    }
}

private typealias Outcome = Result<DialedSocket, DialFailure>

@Suite struct DialerTests {
    let loop: EventLoop

    init() throws { loop = try EventLoop(index: 0) }

    private func outcome(_ dialer: Dialer, port: Int, timeout: Duration? = nil) async throws -> Outcome {
        let fact = Fact<Outcome>()
        loop.submit { loop in
            let hasReturned = Fact<Bool>()
            dialer.dial(host: "host.test", port: port, timeout: timeout, on: loop) { result in
                #expect(hasReturned.current == true)
                fact.set(result)
            }
            hasReturned.set()
        }
        let result = try await fact.value()
        if case .success(let dialed) = result { dialed.close() }
        loop.stop()
        return result
    }

    @Test func openPortConnects() async throws {
        let listener = try Listener.open(host: "127.0.0.1", port: 0)
        let dialed = try await outcome(Dialer(resolver: FixedNames("127.0.0.1")), port: listener.port).get()
        #expect(dialed.address == listener.address)
        #expect(dialed.microseconds >= 0)
        listener.stop()
    }

    @Test func closedPortIsRefused() async throws {
        let closed = try ClosedPort()
        #expect(try await outcome(Dialer(resolver: FixedNames("127.0.0.1")), port: closed.port) == .failure(.refused))
    }

    @Test func silentServerTimesOut() async throws {
        let deaf = try DeafServer()
        let dialer = Dialer(resolver: FixedNames("127.0.0.1"))
        #expect(try await outcome(dialer, port: deaf.port, timeout: .milliseconds(100)) == .failure(.timeout))
    }

    @Test func timeoutIncludesTheLookup() async throws {
        let dialer = Dialer(resolver: FixedNames(answer: nil))
        #expect(try await outcome(dialer, port: 80, timeout: .milliseconds(50)) == .failure(.timeout))
    }

    @Test func missingNameHasItsCode() async throws {
        let dialer = Dialer(resolver: FixedNames(answer: .failed(code: -5)))
        #expect(try await outcome(dialer, port: 80) == .failure(.name(code: -5)))
    }

    @Test(arguments: [-1, 65_536])
    func impossiblePortIsUnreachable(port: Int) async throws {
        let dialer = Dialer(resolver: FixedNames("127.0.0.1"))
        #expect(try await outcome(dialer, port: port) == .failure(.unreachable(errno: EINVAL)))
    }

    /// RFC 8305 section 5: a failed attempt starts the next one without waiting for the delay.
    @Test func refusedFamilyYieldsToTheOtherImmediately() async throws {
        let listener = try Listener.open(host: "127.0.0.1", port: 0)
        let patient = DialTimeouts(attemptDelay: .seconds(3_600))
        let dialer = Dialer(resolver: FixedNames("::1", "127.0.0.1"), timeouts: patient)
        #expect(try await outcome(dialer, port: listener.port).get().address == listener.address)
        listener.stop()
    }

    /// The first address hangs; the second is tried concurrently after the delay, and wins.
    @Test func hangingAddressIsOvertaken() async throws {
        let deaf = try DeafServer()
        let listener = try Listener.open(host: "::1", port: deaf.port)
        let dialer = Dialer(
            resolver: FixedNames("127.0.0.1", "::1"),
            timeouts: DialTimeouts(connect: .seconds(20), attemptDelay: .milliseconds(50)))
        let dialed = try await outcome(dialer, port: deaf.port).get()
        #expect(dialed.address == listener.address)
        #expect(dialed.microseconds >= 50_000)
        listener.stop()
    }

    @Test func cancelledDialStaysSilent() async throws {
        let listener = try Listener.open(host: "127.0.0.1", port: 0)
        let done = Fact<Bool>()
        let port = listener.port
        loop.submit { loop in
            let dialer = Dialer(resolver: FixedNames("127.0.0.1"))
            let ticket = dialer.dial(host: "host.test", port: port, on: loop) { _ in
                Issue.record("a cancelled dial completed")
            }
            ticket.cancel()
            dialer.dial(host: "host.test", port: port, on: loop) { result in
                if case .success(let dialed) = result { dialed.close() }
                done.set()
            }
        }
        #expect(try await done.value())
        listener.stop()
        loop.stop()
    }
}
