import Foundation
import Postgres

/// Stands between a gate and its server, and takes the answer to some COMMITs away, or the COMMIT itself: the gate does not
/// know then whether its batch is there. Reads what is said, so there is no TLS.
final class CommitRelay: @unchecked Sendable {
    /// Where a COMMIT is lost.
    enum Loss: CaseIterable { case order, answer }

    let port: Int
    private let listener: Int32
    private let target: Int
    private let lock = NSLock()
    private var losses: [Loss]
    private var connections: [Int32] = []

    /// - Parameter losses: of the COMMITs to come, one after the other, with one in between that gets through.
    init(to port: Int, losing losses: [Loss]) throws {
        target = port
        self.losses = losses
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else { throw PostgresError.unreachable("no port for the relay") }
        self.port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0, let self else { return }
                self.join(client)
            }
        }
    }

    /// How many COMMITs are still to be lost.
    var left: Int { lock.withLock { losses.count } }

    func close() {
        shutdown(listener, Int32(SHUT_RDWR))
        _ = Glibc.close(listener)
        lock.withLock { connections }.forEach { shutdown($0, Int32(SHUT_RDWR)) }
    }

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = UInt16(port).bigEndian
        return address
    }

    private func join(_ client: Int32) {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(target)
        let isJoined = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isJoined else {
            shutdown(client, Int32(SHUT_RDWR))
            return
        }
        lock.withLock { connections += [client, server] }
        let state = Commits()
        Thread.detachNewThread { self.carry(from: client, to: server, state, isOrders: true) }
        Thread.detachNewThread { self.carry(from: server, to: client, state, isOrders: false) }
    }

    /// Of one connection.
    private final class Commits: @unchecked Sendable {
        let lock = NSLock()
        /// The answer to what was sent last is to be lost.
        var losesAnswer = false
        var isSpared = true
    }

    private func carry(from source: Int32, to sink: Int32, _ commits: Commits, isOrders: Bool) {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        defer { for end in [source, sink] { shutdown(end, Int32(SHUT_RDWR)) } }
        while true {
            let count = read(source, &bytes, bytes.count)
            guard count > 0 else { return }
            if isOrders, let loss = loss(of: bytes[..<count], commits) {
                if loss == .order { return }
                commits.lock.withLock { commits.losesAnswer = true }
            }
            if !isOrders, commits.lock.withLock({ commits.losesAnswer }) { return }
            var sent = 0
            while sent < count {
                let now = bytes[sent..<count].withUnsafeBytes { write(sink, $0.baseAddress, $0.count) }
                guard now > 0 else { return }
                sent += now
            }
        }
    }

    private func loss(of bytes: ArraySlice<UInt8>, _ commits: Commits) -> Loss? {
        guard bytes.count < 200, String(decoding: bytes, as: UTF8.self).contains("COMMIT") else { return nil }
        let isSpared = commits.lock.withLock {
            defer { commits.isSpared.toggle() }
            return commits.isSpared
        }
        guard !isSpared else { return nil }
        return lock.withLock { losses.isEmpty ? nil : losses.removeFirst() }
    }
}
