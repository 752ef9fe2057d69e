/// What a stream tells its owner, always on its loop and never from within a call the owner makes.
public protocol StreamHandler: AnyObject {
    /// - Parameter bytes: valid until the call returns; they lie in the loop's ``EventLoop/readScratch``.
    func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop)
    /// The peer finished writing. Comes once, after the last byte; the stream stays open for writing.
    func ended(_ stream: ByteStream, on loop: isolated EventLoop)
    /// The connection broke. Bytes that had arrived were delivered before; the stream is closed afterwards.
    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop)
    /// The outbox had been stuck and fell under ``ByteStream/lowWater``: more may be appended.
    func drained(_ stream: ByteStream, on loop: isolated EventLoop)
    /// Where the next bytes go unseen, if anywhere. Asked only while they come in bulk.
    func spliceTarget(for stream: ByteStream, on loop: isolated EventLoop) -> SpliceTarget?
    /// Bytes went by a splice; what the target would not take at once is in its ``ByteStream/waitingBytes``.
    func spliced(_ count: Int, from stream: ByteStream, to target: ByteStream, on loop: isolated EventLoop)
}

extension StreamHandler {
    public func spliceTarget(for stream: ByteStream, on loop: isolated EventLoop) -> SpliceTarget? { nil }
    public func spliced(_ count: Int, from stream: ByteStream, to target: ByteStream, on loop: isolated EventLoop) {}
}

/// The way of bytes that nobody needs to look at: from one stream straight to another on the same loop.
public struct SpliceTarget {
    let target: ByteStream
    let limit: Int

    /// - Parameter limit: so many bytes may go this way, at least one.
    public init(to target: ByteStream, limit: Int = .max) {
        precondition(limit > 0, "a splice lets something through")
        self.target = target
        self.limit = limit
    }
}
