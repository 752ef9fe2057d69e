import Dispatch
package import NetLoop
import Synchronization

/// Looks up the original addresses of redirected connections, off the loops. Only one query runs at a time; its output
/// serves all connections that were waiting when it began.
package final class RedirectLookup: Sendable {
    /// Returns the output of `pfctl -s state`, or the reason for its failure. Blocks for a few seconds at most.
    package typealias Question = @Sendable () -> Result<String, RedirectFailure>

    private struct Waiting: Sendable {
        let client: SocketAddress
        let port: UInt16
        let answer: @Sendable (SocketAddress?) -> Void
    }

    private let question: Question
    private let waiting = Mutex<[Waiting]>([])
    private let queue = DispatchQueue(label: "atsgate.redirects")

    package init(_ question: @escaping Question) { self.question = question }

    /// - Parameters:
    ///   - client: the accepted client.
    ///   - port: the port that accepted it.
    ///   - answer: called once, immediately or from another thread. Gets nil if the address is unknown, or ``limit``
    ///     are already waiting.
    package func find(_ client: SocketAddress, port: UInt16, answer: @escaping @Sendable (SocketAddress?) -> Void) {
        let place = waiting.withLock { waiting -> Int in
            guard waiting.count < Self.limit else { return 0 }
            waiting.append(Waiting(client: client, port: port, answer: answer))
            return waiting.count
        }
        if place == 0 { return answer(nil) }
        if place == 1 { queue.async { self.answerAll() } }
    }

    /// Runs the query once; returns the failure if there is one.
    func check() -> RedirectFailure? {
        if case .failure(let failure) = question() { failure } else { nil }
    }

    private func answerAll() {
        let asking = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        let states = (try? question().get()).map(PacketFilterStates.init)
        for one in asking { one.answer(states?.wanted(by: one.client, ledTo: one.port)) }
    }

    /// The maximum number of connections waiting for one query.
    package static let limit = 1_024
}

/// The reason why the system does not report original addresses, in one line.
package struct RedirectFailure: Error, Sendable, Hashable {
    package var reason: String

    package init(_ reason: String) { self.reason = reason }
}
