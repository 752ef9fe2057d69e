import CCapture
import Dispatch
import NetLoop
import Synchronization

/// Receives the datagrams of a socket as they arrive. Closes the socket once it was stopped or released, after its last
/// use.
package final class DatagramSocket: Sendable {
    /// Receives one datagram. Calling `answer` replies to its sender; a reply that cannot be sent is lost, as datagrams
    /// may be.
    package typealias Taker = @Sendable (_ datagram: [UInt8], _ answer: @escaping @Sendable ([UInt8]) -> Void) -> Void

    private let descriptor: Int32
    /// Longer datagrams are truncated.
    private let longest: Int
    private let take: Taker
    private let queue = DispatchQueue(label: "atsgate.capture.datagrams")
    private let source: ReadinessSource
    /// True until ``stop()``; after that, the queue closes the descriptor. Locked while another thread sends.
    private let isOpen = Mutex(true)

    /// Creates a receiver; ``start()`` starts it.
    ///
    /// - Parameters:
    ///   - longest: in bytes.
    ///   - take: called on the socket's own queue.
    package init(_ descriptor: Int32, longest: Int, take: @escaping Taker) {
        self.descriptor = descriptor
        self.longest = longest
        self.take = take
        source = ReadinessSource(reading: descriptor, on: queue) { close(descriptor) }
    }

    package func start() { source.start { [weak self] in self?.receive() } }

    /// Receives the datagrams that have arrived. Do not call it from `take`.
    package func drain() {
        queue.sync { if isOpen.withLock({ $0 }) { receive() } }
    }

    /// Stops receiving and sending. May be called again.
    package func stop() {
        isOpen.withLock { $0 = false }
        source.end()
    }

    /// Receives a batch. Runs on the queue, which also closes the descriptor.
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
