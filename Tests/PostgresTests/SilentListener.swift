import Foundation
import Processes

/// A port of 127.0.0.1 that takes connections, says the same to each, and nothing more.
final class SilentListener: Sendable {
    let port: Int
    private let listener: Int32

    /// - Parameter saying: nil leaves connections to the system, which takes them and answers nothing; otherwise each
    ///   gets these bytes, and its end.
    init(saying bytes: [UInt8]? = nil) throws {
        #if canImport(Darwin)
        let stream = SOCK_STREAM
        #else
        let stream = Int32(SOCK_STREAM.rawValue)
        #endif
        let listener = socket(AF_INET, stream, 0)
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw Trouble(description: "127.0.0.1 has no free port") }
        port = Int(UInt16(bigEndian: address.sin_port))
        guard let bytes else { return }
        // It ends with the listener.
        Thread.detachNewThread {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                var heard = [UInt8](repeating: 0, count: 4_096)
                _ = recv(client, &heard, heard.count, 0)
                _ = send(client, bytes, bytes.count, 0)
                close(client)
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }
}
