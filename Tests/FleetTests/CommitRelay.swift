import Foundation
import Processes
import Synchronization

/// A relay between a gate and its server that drops some COMMITs, or the replies to them. The gate then cannot know
/// whether its batch was committed. The relay reads the protocol, so the connection has no TLS.
final class CommitRelay: Sendable {
    /// The part of a COMMIT that is lost.
    enum Loss: CaseIterable { case order, answer }

    let port: Int
    private let listener: Int32
    private let target: Int
    private let losses: Mutex<[Loss]>
    private let connections = Mutex<[Int32]>([])

    /// - Parameter losses: The losses of the next COMMITs. After each lost COMMIT one is spared.
    init(to port: Int, losing losses: [Loss]) throws {
        target = port
        self.losses = Mutex(losses)
        let (listener, port) = try Loopback.listener()
        (self.listener, self.port) = (listener, port)
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0, let self else { return }
                self.join(client)
            }
        }
    }

    /// The number of COMMITs still to be lost.
    var left: Int { losses.withLock { $0.count } }

    func end() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        connections.withLock { $0 }.forEach { shutdown($0, Int32(SHUT_RDWR)) }
    }

    private func join(_ client: Int32) {
        guard let server = Loopback.connection(to: target) else {
            shutdown(client, Int32(SHUT_RDWR))
            return
        }
        connections.withLock { $0 += [client, server] }
        let commits = Commits()
        Thread.detachNewThread { self.carry(from: client, to: server, commits, isOrders: true) }
        Thread.detachNewThread { self.carry(from: server, to: client, commits, isOrders: false) }
    }

    /// The state of one connection.
    private final class Commits: Sendable {
        /// True if the reply to the last message must be lost.
        let losesAnswer = Atomic(false)
        /// True if the next COMMIT is spared.
        let isSpared = Atomic(true)
    }

    private func carry(from source: Int32, to sink: Int32, _ commits: Commits, isOrders: Bool) {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        defer { for end in [source, sink] { shutdown(end, Int32(SHUT_RDWR)) } }
        while true {
            let count = read(source, &bytes, bytes.count)
            guard count > 0 else { return }
            if isOrders, let loss = loss(of: bytes[..<count], commits) {
                if loss == .order { return }
                commits.losesAnswer.store(true, ordering: .sequentiallyConsistent)
            }
            if !isOrders, commits.losesAnswer.load(ordering: .sequentiallyConsistent) { return }
            var sent = 0
            while sent < count {
                let now = bytes[sent..<count].withUnsafeBytes { send(sink, $0.baseAddress, $0.count, Self.quietly) }
                guard now > 0 else { return }
                sent += now
            }
        }
    }

    /// Suppresses SIGPIPE if the peer has closed.
    #if canImport(Darwin)
    private static let quietly: Int32 = 0
    #else
    private static let quietly = Int32(MSG_NOSIGNAL)
    #endif

    private func loss(of bytes: ArraySlice<UInt8>, _ commits: Commits) -> Loss? {
        guard bytes.count < 200, String(decoding: bytes, as: UTF8.self).contains("COMMIT") else { return nil }
        // Called only by the thread that carries commands.
        let wasSpared = commits.isSpared.load(ordering: .relaxed)
        commits.isSpared.store(!wasSpared, ordering: .relaxed)
        return wasSpared ? nil : losses.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}
