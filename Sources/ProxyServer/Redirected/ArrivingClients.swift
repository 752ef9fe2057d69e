import NetLoop

/// Clients that were accepted and are not served yet: where they were to go is asked elsewhere, and their bytes wait in
/// the kernel. Belongs to one worker, and never leaves its loop.
final class ArrivingClients {
    private var streams: [UInt64: ByteStream] = [:]
    private var last: UInt64 = 0

    /// Has a client served once it is known where it was to go; one for which that can not be told is closed.
    func take(
        _ stream: ByteStream, from listener: ListenAddress, _ worker: LoopLocal<Worker>,
        asking redirects: RedirectLookup, on loop: isolated EventLoop
    ) {
        guard let client = SocketAddress(stream.peerAddress), let port = UInt16(exactly: listener.port) else {
            return stream.close(on: loop)
        }
        last += 1
        let number = last
        streams[number] = stream
        redirects.find(client, port: port) { original in
            loop.submit { loop in
                guard let worker = worker.value(on: loop),
                    let stream = worker.arriving.streams.removeValue(forKey: number)
                else { return }
                guard let original else { return stream.close(on: loop) }
                worker.serve(stream, from: listener, by: listener.redirected(from: original), on: loop)
            }
        }
    }

    func closeAll(on loop: isolated EventLoop) {
        for stream in streams.values { stream.close(on: loop) }
        streams = [:]
    }
}
