/// Receives the events of a stream, always on its loop and never within a call by the owner.
public protocol StreamHandler: AnyObject {
    /// - Parameter bytes: valid until the call returns; they are in the loop's ``EventLoop/readScratch``.
    func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop)
    /// The peer finished writing. Called once, after the last byte; the stream stays open for writing.
    func ended(_ stream: ByteStream, on loop: isolated EventLoop)
    /// The connection broke. Bytes that had arrived were delivered before; the stream closes afterwards.
    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop)
    /// The outbox was full and fell below ``ByteStream/lowWater``: more may be appended.
    func drained(_ stream: ByteStream, on loop: isolated EventLoop)
    /// Returns the stream to which the next bytes may go without inspection; nil to receive them. Only called while
    /// large reads arrive.
    func spliceTarget(for stream: ByteStream, on loop: isolated EventLoop) -> SpliceTarget?
    /// Bytes were spliced; those that the target's socket did not accept yet are in its ``ByteStream/waitingBytes``.
    func spliced(_ count: Int, from stream: ByteStream, to target: ByteStream, on loop: isolated EventLoop)
}

extension StreamHandler {
    public func spliceTarget(for stream: ByteStream, on loop: isolated EventLoop) -> SpliceTarget? { nil }
    public func spliced(_ count: Int, from stream: ByteStream, to target: ByteStream, on loop: isolated EventLoop) {}
}

/// The target of bytes that need no inspection: another stream on the same loop.
public struct SpliceTarget {
    let target: ByteStream
    let limit: Int

    /// - Parameter limit: the most bytes to splice, at least one.
    public init(to target: ByteStream, limit: Int = .max) {
        precondition(limit > 0, "the limit must be positive")
        self.target = target
        self.limit = limit
    }
}
