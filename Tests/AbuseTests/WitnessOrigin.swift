import CPoll
import Foundation
import Processes
import Synchronization

/// An origin that sends each connection the same response, and keeps all received bytes. Bytes that must not pass the
/// gate must not appear here.
final class WitnessOrigin: Sendable {
    let port: Int
    private let listener: Int32
    private let ear = Mutex<[[UInt8]]>([])

    /// - Parameter answer: Sent to each connection after its first bytes.
    init(answer: String = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") throws {
        guard var address = cpoll_address("127.0.0.1", port: 0) else { throw TestFailure(description: "no loopback") }
        listener = cpoll_listen(&address, 64)
        guard listener >= 0, cpoll_local(listener, &address) == 0 else { throw TestFailure(description: "no listener") }
        port = Int(address.port)
        let bytes = Array(answer.utf8)
        Thread.detachNewThread { [weak self, listener] in
            var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            while poll(&waiting, 1, -1) > 0, waiting.revents & Int16(POLLIN) != 0 {
                var peer = cpoll_address()
                let descriptor = cpoll_accept(listener, &peer)
                if descriptor >= 0 { self?.serve(descriptor, bytes) }
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// The bytes of each connection, in the order of the connections.
    var heard: [String] { ear.withLock { $0.map { String(decoding: $0, as: UTF8.self) } } }

    private func serve(_ descriptor: Int32, _ answer: [UInt8]) {
        let index = ear.withLock { ear in
            ear.append([])
            return ear.count - 1
        }
        Thread.detachNewThread { [weak self] in
            defer { close(descriptor) }
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            var room = [UInt8](repeating: 0, count: 65_536)
            while poll(&waiting, 1, -1) > 0 {
                let count = room.withUnsafeMutableBytes { cpoll_read(descriptor, $0.baseAddress, $0.count) }
                if count == -Int(EAGAIN) { continue }
                guard count > 0, let self else { return }
                ear.withLock { $0[index] += room.prefix(count) }
                _ = answer.withUnsafeBytes { cpoll_write(descriptor, $0.baseAddress, $0.count) }
            }
        }
    }
}
