import Bytes
import HTTP2Engine
import TLSEngine

extension HTTP2Machine {
    /// Moves pending frames into an outbox, encrypted if there is TLS, until `limit` bytes wait there.
    ///
    /// - Parameter scratch: an empty queue to collect plaintext in.
    /// - Returns: true if frames are left.
    func moveFrames(through tls: TLSMachine?, to outbox: ByteQueue, scratch: ByteQueue, limit: Int) -> Bool {
        guard let tls else {
            write(to: outbox, upTo: limit)
            return outbox.count >= limit && wantsToWrite
        }
        guard tls.state == .established else { return false }
        while wantsToWrite {
            guard outbox.count < limit else { return true }
            write(to: scratch, upTo: Self.sealedAtOnce)
            guard !scratch.isEmpty else { return false }
            tls.send(scratch.bytes)
            scratch.removeAll()
        }
        return false
    }

    /// The bytes to collect before encrypting: a few full TLS records.
    private static let sealedAtOnce = 65_536
}
