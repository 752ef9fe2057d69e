import CPoll
import Foundation
import Processes

/// A client that sends any bytes, in any pieces. It blocks, up to a deadline.
final class RawClient {
    private let descriptor: Int32
    private let deadlineMilliseconds: Int32
    /// All received bytes.
    private(set) var received: [UInt8] = []
    /// True if the peer has closed or reset the connection.
    private(set) var hasEnded = false

    init(port: Int, host: String = "127.0.0.1", deadlineMilliseconds: Int32 = 30_000) throws {
        self.deadlineMilliseconds = deadlineMilliseconds
        var socket: Int32 = -1
        guard var address = cpoll_address(host, port: port) else {
            throw TestFailure(description: "no address: \(host)")
        }
        guard cpoll_connect(&address, &socket) >= 0 else {
            throw TestFailure(description: "no server at \(host):\(port)")
        }
        descriptor = socket
        try waitFor(Int16(POLLOUT))
    }

    deinit { close(descriptor) }

    var text: String { String(decoding: received, as: UTF8.self) }

    /// Sends text. Bytes after the peer has closed are dropped.
    func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            try waitFor(Int16(POLLOUT))
            let count = rest.withUnsafeBytes { cpoll_write(descriptor, $0.baseAddress, $0.count) }
            if count == -Int(EPIPE) || count == -Int(ECONNRESET) {
                hasEnded = true
                return
            }
            rest = rest.dropFirst(max(0, count))
        }
    }

    /// Half-closes the connection.
    func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads until `condition` holds, or the peer closes.
    ///
    /// - Throws: ``TestFailure`` if neither happens in time.
    @discardableResult
    func read(until condition: (String) -> Bool = { _ in false }) throws -> String {
        while !hasEnded, !condition(text) {
            try waitFor(Int16(POLLIN))
            var room = [UInt8](repeating: 0, count: 65_536)
            let count = room.withUnsafeMutableBytes { cpoll_read(descriptor, $0.baseAddress, $0.count) }
            if count == -Int(EAGAIN) { continue }
            hasEnded = count <= 0
            received += room.prefix(max(0, count))
        }
        return text
    }

    private func waitFor(_ events: Int16) throws {
        var waiting = pollfd(fd: descriptor, events: events, revents: 0)
        guard poll(&waiting, 1, deadlineMilliseconds) > 0 else {
            throw TestFailure(description: "timeout; received: \(text.suffix(500))")
        }
    }
}
