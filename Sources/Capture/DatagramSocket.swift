import CCapture
import Dispatch
import NetLoop
import Synchronization

/// A socket whose datagrams are taken as they come. Closes it once it was stopped, or let go, and nothing uses it any more.
package final class DatagramSocket: Sendable {
    /// Takes one datagram. The answer goes back to who sent it; what can not be sent is lost, as datagrams may be.
    package typealias Taker = @Sendable (_ datagram: [UInt8], _ answer: @escaping @Sendable ([UInt8]) -> Void) -> Void

    private let descriptor: Int32
    /// What is longer is cut off.
    private let longest: Int
    private let take: Taker
    private let queue = DispatchQueue(label: "atsgate.capture.datagrams")
    private let source: ReadinessSource
    /// Until ``stop()``: the descriptor is closed after it, on the queue. Held while another thread sends.
    private let isOpen = Mutex(true)

    /// Takes what comes from ``start()`` on.
    ///
    /// - Parameters:
    ///   - longest: in bytes.
    ///   - take: called on a queue of the socket's own.
    package init(_ descriptor: Int32, longest: Int, take: @escaping Taker) {
        self.descriptor = descriptor
        self.longest = longest
        self.take = take
        source = ReadinessSource(reading: descriptor, on: queue) { close(descriptor) }
    }

    package func start() { source.start { [weak self] in self?.receive() } }

    /// Takes what came until now. Not to be called where datagrams are taken.
    package func drain() {
        queue.sync { if isOpen.withLock({ $0 }) { receive() } }
    }

    /// Takes and sends nothing any more. May be called again.
    package func stop() {
        isOpen.withLock { $0 = false }
        source.end()
    }

    /// On the queue, where the descriptor is closed as well.
    private func receive() {
        var bytes = [UInt8](repeating: 0, count: longest)
        for _ in 0..<Self.datagramsPerTurn {
            var sender = ccapture_sender()
            let count = ccapture_receive(descriptor, &bytes, bytes.count, &sender)
            guard count >= 0 else { return }
            let from = sender
            take(Array(bytes.prefix(count))) { [weak self] answer in self?.send(answer, to: from) }
        }
    }

    private func send(_ bytes: [UInt8], to sender: ccapture_sender) {
        var sender = sender
        isOpen.withLock { isOpen in
            guard isOpen else { return }
            _ = ccapture_answer(descriptor, bytes, bytes.count, &sender)
        }
    }

    private static let datagramsPerTurn = 1_024
}
