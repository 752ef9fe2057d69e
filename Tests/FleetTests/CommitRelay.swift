import Foundation
import Processes
import Synchronization

/// Stands between a gate and its server, and takes the answer to some COMMITs away, or the COMMIT itself: the gate does not
/// know then whether its batch is there. Reads what is said, so there is no TLS.
final class CommitRelay: Sendable {
    /// Where a COMMIT is lost.
    enum Loss: CaseIterable { case order, answer }

    let port: Int
    private let listener: Int32
    private let target: Int
    private let losses: Mutex<[Loss]>
    private let connections = Mutex<[Int32]>([])

    /// - Parameter losses: of the COMMITs to come, one after the other, with one in between that gets through.
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

    /// How many COMMITs are still to be lost.
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

    /// Of one connection.
    private final class Commits: Sendable {
        /// The answer to what was sent last is to be lost.
        let losesAnswer = Atomic(false)
        /// The next COMMIT gets through.
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

    /// No signal where the other end has gone.
    #if canImport(Darwin)
    private static let quietly: Int32 = 0
    #else
    private static let quietly = Int32(MSG_NOSIGNAL)
    #endif

    private func loss(of bytes: ArraySlice<UInt8>, _ commits: Commits) -> Loss? {
        guard bytes.count < 200, String(decoding: bytes, as: UTF8.self).contains("COMMIT") else { return nil }
        // Only the thread that carries orders comes here.
        let wasSpared = commits.isSpared.load(ordering: .relaxed)
        commits.isSpared.store(!wasSpared, ordering: .relaxed)
        return wasSpared ? nil : losses.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}
