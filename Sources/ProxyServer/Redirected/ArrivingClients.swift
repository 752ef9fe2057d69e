import NetLoop

/// Accepted clients whose original address is being looked up. Their bytes wait in the kernel. Belongs to one worker,
/// and never leaves its loop.
final class ArrivingClients {
    private var streams: [UInt64: ByteStream] = [:]
    private var last: UInt64 = 0

    /// Serves a client once its original address is known; closes it if the address cannot be found.
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
                worker.serve(stream, from: listener, redirectedFrom: original, on: loop)
            }
        }
    }

    func closeAll(on loop: isolated EventLoop) {
        for stream in streams.values { stream.close(on: loop) }
        streams = [:]
    }
}
