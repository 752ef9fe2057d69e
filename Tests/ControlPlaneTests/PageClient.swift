import Dispatch
import Foundation
import NetLoop

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A client that sends exactly the given bytes, which browsers and URLSession do not.
final class PageClient: Sendable {
    let descriptor: Int32

    /// - Throws: If no server listens.
    init(port: Int) throws {
        #if os(Linux)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = in_addr_t(UInt32(0x7F00_0001).bigEndian)
        var timeout = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    deinit { close(descriptor) }

    /// Opens several connections, on a separate thread.
    static func crowd(of count: Int, port: Int) async throws -> [PageClient] {
        DescriptorLimit.raise()
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try (0..<count).map { _ in try PageClient(port: port) } })
            }
        }
    }

    /// Sends text. Waits for the server on a separate thread, as ``receive()`` does.
    func send(_ text: String) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let bytes = Array(text.utf8)
                #if os(Linux)
                _ = Glibc.send(self.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                #else
                _ = Darwin.send(self.descriptor, bytes, bytes.count, 0)
                #endif
                continuation.resume()
            }
        }
    }

    /// Half-closes the connection, and keeps reading.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// The next bytes; nil if the server has closed, or after 20 s without bytes. Waits on a separate thread, because
    /// the server's tasks share their threads with the tests.
    func receive() async -> String? {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var bytes = [UInt8](repeating: 0, count: 65_536)
                let count = recv(self.descriptor, &bytes, bytes.count, 0)
                continuation.resume(returning: count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil)
            }
        }
    }

    /// True if the server closes without sending a byte; false after 20 s. Waits as ``receive()`` does.
    func isClosed() async -> Bool {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var byte: UInt8 = 0
                let count = recv(self.descriptor, &byte, 1, 0)
                continuation.resume(returning: count == 0 || (count < 0 && errno == ECONNRESET))
            }
        }
    }

    /// Reads until the server closes.
    func receiveAll() async -> String {
        var text = ""
        while let more = await receive() { text += more }
        return text
    }

    /// Reads until `needle` has arrived, or the server closes.
    func receive(until needle: String) async -> String {
        var text = ""
        while !text.contains(needle), let more = await receive() { text += more }
        return text
    }
}
