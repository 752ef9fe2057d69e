import Foundation
import Processes
import Synchronization

/// A server on 127.0.0.1 that sends its first client one byte a second, and closes after a given number.
final class DrippingServer: Sendable {
    let port: Int
    private let listener: Int32
    private let sent = Mutex(0)
    private let isDone = DispatchSemaphore(value: 0)

    /// - Parameter bytes: The number of bytes before it closes. It stops earlier if the client disconnects.
    init(bytes: Int) throws {
        (listener, port) = try Loopback.listener()
        Thread { [self] in
            drip(bytes)
            isDone.signal()
        }.start()
    }

    /// Waits until the client disconnects or has received everything.
    ///
    /// - Returns: The number of bytes sent.
    func end() -> Int {
        Loopback.end(listener)
        isDone.wait()
        return sent.withLock { $0 }
    }

    private func drip(_ bytes: Int) {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        defer { close(client) }
        for _ in 0..<bytes {
            guard isConnected(client), write(client, "H", 1) == 1 else { return }
            sent.withLock { $0 += 1 }
        }
    }

    /// Reads from the client for a second. False if the client closed.
    private func isConnected(_ client: Int32) -> Bool {
        let end = ContinuousClock.now + .seconds(1)
        var bytes = [UInt8](repeating: 0, count: 1_024)
        while true {
            let left = ContinuousClock.now.duration(to: end) / .milliseconds(1)
            var entry = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
            guard left > 0, poll(&entry, 1, Int32(left.rounded(.up))) > 0 else { return true }
            guard read(client, &bytes, bytes.count) > 0 else { return false }
        }
    }
}
