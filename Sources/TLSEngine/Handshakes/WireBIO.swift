internal import Bytes
internal import COpenSSL

/// The input and output of a TLS machine: the bytes of the current `receive` call, in place, and the outbox.
final class Wire {
    // Unchecked: loaded or stored as a whole, and no call into OpenSSL runs while it is stored.
    @exclusivity(unchecked) var outbox: ByteQueue
    /// Unread ciphertext. Only set while a call into OpenSSL runs.
    var incoming = UnsafeRawBufferPointer(start: nil, count: 0)

    init(outbox: ByteQueue) {
        self.outbox = outbox
    }

    /// Creates a BIO that reads and writes this wire. The wire must outlive it.
    func makeBIO() -> OpaquePointer? {
        guard let method = WireMethod.shared.raw, let bio = BIO_new(method) else { return nil }
        BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        BIO_set_init(bio, 1)
        return bio
    }

    fileprivate static func of(_ bio: OpaquePointer?) -> Unmanaged<Wire>? {
        BIO_get_data(bio).map { Unmanaged<Wire>.fromOpaque($0) }
    }

    fileprivate func take(into target: UnsafeMutablePointer<CChar>, limit: Int32) -> Int32 {
        guard let source = incoming.baseAddress, limit > 0, incoming.count > 0 else { return 0 }
        let count = min(Int(limit), incoming.count)
        UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: count)
        incoming = UnsafeRawBufferPointer(rebasing: incoming.dropFirst(count))
        return Int32(count)
    }
}

/// The only BIO method of the process.
// Unchecked: a C pointer is not Sendable. The method is complete before `shared` is published, and only read
// afterwards.
private final class WireMethod: @unchecked Sendable {
    static let shared = WireMethod()

    let raw: OpaquePointer?

    private init() {
        raw = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "atsgate wire")
        guard let raw else { return }
        BIO_meth_set_write(raw) { bio, bytes, count in
            guard let bytes, count > 0, let wire = Wire.of(bio) else { return 0 }
            wire._withUnsafeGuaranteedRef { $0.outbox.append(UnsafeRawBufferPointer(start: bytes, count: Int(count))) }
            return count
        }
        BIO_meth_set_read(raw) { bio, target, limit in
            guard let target, let wire = Wire.of(bio) else { return 0 }
            ossl_bio_clear_retry(bio)
            let count = wire._withUnsafeGuaranteedRef { $0.take(into: target, limit: limit) }
            if count > 0 { return count }
            ossl_bio_retry_read(bio)
            return -1
        }
        BIO_meth_set_ctrl(raw) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
    }

    deinit { BIO_meth_free(raw) }
}
