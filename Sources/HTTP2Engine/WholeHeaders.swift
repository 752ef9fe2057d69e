/// Holds the beginning of a frame header until the rest arrives.
///
/// Since its fix for CVE-2024-28182, nghttp2 counts a CONTINUATION for each piece of its header, and fails honest peers
/// on slow networks. So it only gets complete headers.
struct WholeHeaders {
    private var held: [UInt8] = []

    mutating func hold(_ beginning: UnsafeRawBufferPointer) { held += beginning }

    /// Calls `work` with the held bytes followed by `bytes`; not at all if `bytes` is empty.
    mutating func complete(_ bytes: UnsafeRawBufferPointer, _ work: (UnsafeRawBufferPointer) -> Void) {
        guard bytes.count > 0 else { return }
        guard !held.isEmpty else { return work(bytes) }
        let joined = held + bytes
        held = []
        joined.withUnsafeBytes(work)
    }
}
