import Foundation
import Processes

/// A port of 127.0.0.1 that accepts connections, sends each the same bytes, and nothing more.
final class SilentListener: Sendable {
    let port: Int
    private let listener: Int32

    /// - Parameter saying: The bytes that each connection gets before it is closed. With nil, connections stay in the
    ///   system's queue, which accepts them and sends nothing.
    init(saying bytes: [UInt8]? = nil) throws {
        let (listener, port) = try Loopback.listener()
        (self.listener, self.port) = (listener, port)
        guard let bytes else { return }
        // Ends with the listener.
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

    deinit { Loopback.end(listener) }
}
