import Bytes
import HTTPWire
import TLSEngine

/// The client's half of a session: what it sent and what it will be sent, encrypted or not.
final class ClientSide {
    /// Bytes for the socket.
    let outbox: ByteQueue
    /// Decrypted, not yet understood bytes.
    let inbox = ByteQueue()
    var reader = MessageReader.requests(limits: WireLimits())
    var tls: TLSMachine?
    var isPaused = false
    var hasEnded = false

    /// Where plaintext is put together before it is encrypted; shared by all of the loop.
    private let scratch: ByteQueue

    init(outbox: ByteQueue, scratch: ByteQueue) {
        self.outbox = outbox
        self.scratch = scratch
    }

    /// Takes bytes off the wire into the inbox.
    func receive(_ bytes: UnsafeRawBufferPointer) {
        if let tls { tls.receive(bytes, plaintext: inbox) } else { inbox.append(bytes) }
    }

    /// Lets `body` write bytes for the client, encrypting them inside a tunnel.
    func compose(_ body: (ByteQueue) -> Void) {
        guard let tls else { return body(outbox) }
        body(scratch)
        tls.send(scratch.bytes)
        scratch.removeAll()
    }

    func send(_ bytes: UnsafeRawBufferPointer) {
        if let tls { tls.send(bytes) } else { outbox.append(bytes) }
    }
}

extension ClientSide {
    var hasFailedTLS: Bool {
        if case .failed? = tls?.state { true } else { false }
    }
}

/// Bytes taken out of a queue for as long as they are fed somewhere else.
struct ByteCopy {
    private let bytes: [UInt8]

    init(_ queue: ByteQueue) {
        bytes = Array(queue.bytes)
        queue.removeAll()
    }

    func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) { bytes.withUnsafeBytes(body) }
}
