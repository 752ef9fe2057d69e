import Foundation
import Processes
import Synchronization

/// A client that requests one URL after the other through a gate, each only once, and notes the answered ones with
/// their times.
final class ChaosClient: Sendable {
    struct Answer: Sendable {
        let url: String
        /// The times of the request and of the complete response.
        let times: ClosedRange<ContinuousClock.Instant>
    }

    private struct State {
        var port = 0
        var answers: [Answer] = []
    }

    private let name: String
    private let state = Mutex(State())
    private let stopping = DispatchSemaphore(value: 0)
    private let end = DispatchSemaphore(value: 0)

    init(name: String) { self.name = name }

    /// Sets the port of its gate; 0 while the gate is down.
    func use(port: Int) { state.withLock { $0.port = port } }

    var answers: [Answer] { state.withLock { $0.answers } }

    /// The number of answered requests.
    var answered: Int { state.withLock { $0.answers.count } }

    func start() {
        Thread.detachNewThread { [self] in
            var number = 0
            // The pace of a real client. Six at full speed would leave the server no processor.
            while stopping.wait(timeout: .now() + .milliseconds(1)) == .timedOut {
                let port = state.withLock { $0.port }
                let url = "http://\(name).chaos.test/\(number)"
                number += 1
                let asked = ContinuousClock.now
                if port > 0, Self.isAnswered(url, host: "\(name).chaos.test", port: port) {
                    state.withLock { $0.answers.append(Answer(url: url, times: asked...ContinuousClock.now)) }
                }
            }
            end.signal()
        }
    }

    func stop() {
        stopping.signal()
        end.wait()
    }

    /// True if a complete response of any kind arrived. The default rules block this cleartext load without dialing.
    private static func isAnswered(_ url: String, host: String, port: Int) -> Bool {
        guard let client = Loopback.connection(to: port) else { return false }
        defer { close(client) }
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let request = Array("GET \(url) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n".utf8)
        #if canImport(Darwin)
        let quietly: Int32 = 0
        #else
        let quietly = Int32(MSG_NOSIGNAL)
        #endif
        guard send(client, request, request.count, quietly) == request.count else { return false }
        var head: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = recv(client, &piece, piece.count, 0)
            guard count > 0 else { return count == 0 && head.starts(with: Array("HTTP/1.1 403".utf8)) }
            head.append(contentsOf: piece.prefix(count))
        }
    }
}
