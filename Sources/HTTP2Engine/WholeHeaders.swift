/// Holds back the beginning of a frame header until its end has come.
///
/// Since its guard against CVE-2024-28182 nghttp2 counts a CONTINUATION for each piece that its header comes in, and fails
/// honest peers on slow networks; it only gets headers that are complete.
struct WholeHeaders {
    private var held: [UInt8] = []

    mutating func hold(_ beginning: UnsafeRawBufferPointer) { held += beginning }

    /// Calls `work` with `bytes`, behind what was held; not at all for nothing.
    mutating func complete(_ bytes: UnsafeRawBufferPointer, _ work: (UnsafeRawBufferPointer) -> Void) {
        guard bytes.count > 0 else { return }
        guard !held.isEmpty else { return work(bytes) }
        let joined = held + bytes
        held = []
        joined.withUnsafeBytes(work)
    }
}
