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
}
