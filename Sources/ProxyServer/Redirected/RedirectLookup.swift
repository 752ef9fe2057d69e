import Dispatch
package import NetLoop
import Synchronization

/// Asks the system where redirected connections were to go, off the loops: one question at a time, which answers all
/// who waited when it began.
package final class RedirectLookup: Sendable {
    /// What `pfctl -s state` prints, or why it does not. It blocks for seconds at most.
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
    ///   - client: who was accepted.
    ///   - port: where it was accepted.
    ///   - answer: called once, from another thread or at once: nil where it can not be told, or ``limit`` wait already.
    package func find(_ client: SocketAddress, port: UInt16, answer: @escaping @Sendable (SocketAddress?) -> Void) {
        let place = waiting.withLock { waiting -> Int in
            guard waiting.count < Self.limit else { return 0 }
            waiting.append(Waiting(client: client, port: port, answer: answer))
            return waiting.count
        }
        if place == 0 { return answer(nil) }
        if place == 1 { queue.async { self.answerAll() } }
    }

    /// Whether it can be asked at all.
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

    /// Connections that may wait for one question.
    package static let limit = 1_024
}

/// Why the system does not tell where connections were to go, in one line.
package struct RedirectFailure: Error, Sendable, Hashable {
    package var reason: String

    package init(_ reason: String) { self.reason = reason }
}
