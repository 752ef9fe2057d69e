import Bytes
import Foundation
import NetLoop
import ProxyServer
import Records
import TLSEngine
import Testing

/// WebSocket between OpenSSL's client and an echo server behind nginx, with a real gate in the path.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct WebSocketThroughGateTests {
    @Test("a WebSocket by upgrade carries its frames unchanged, and its record counts them in both directions")
    func upgraded() async throws {
        // No component parses the frames, so any bytes that are also text are suitable.
        let frames = Array(String(repeating: "\u{01}\u{05}hello", count: 3_000).utf8)
        let loop = try EventLoop(index: 0)
        defer { loop.stop() }
        let listener = try Listener.open(host: "127.0.0.1", port: 0)
        listener.start(loops: [loop]) { descriptor, peer, loop in
            let handler = EchoingSocket(bytes: frames.count)
            let stream = ByteStream(descriptor: descriptor, handler: handler, peerAddress: peer)
            try? stream.attach(to: loop)
        }
        let nginx = try await NginxOrigin(socketPort: listener.port)
        defer { nginx.stop() }
        let rig = try Rig { nginx.lead(&$0) }
        let script = rig.folder.appending(path: "script")
        try Data(Self.request.utf8 + frames).write(to: script)
        let outcome = try await Outcome.run(
            "openssl",
            [
                "s_client", "-quiet", "-ign_eof", "-verify_return_error", "-proxy", "127.0.0.1:\(rig.port)",
                "-connect", "h1.nginx.test:443", "-servername", "h1.nginx.test",
                "-CAfile", rig.gate.authority.certificatePath ?? "",
            ], input: script)
        #expect(outcome.output.hasPrefix("HTTP/1.1 101 "), "\(outcome.complaint)")
        #expect(outcome.output.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
        #expect(outcome.output.hasSuffix("\r\n\r\n" + String(decoding: frames, as: UTF8.self)))
        let record = try #require(rig.finish().first)
        #expect(record.load.wireProtocol == .websocket && record.verdict == .allowed && record.status == 101)
        #expect(record.bytesSent == Int64(frames.count) && record.bytesReceived == Int64(frames.count))
    }

    /// The key and the accept value above are the example of RFC 6455 section 1.3.
    private static let request =
        "GET /socket HTTP/1.1\r\nHost: h1.nginx.test\r\nUpgrade: websocket\r\n"
        + "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
}

/// Accepts a WebSocket, echoes the given number of bytes, and ends.
private final class EchoingSocket: StreamHandler {
    private var head: [UInt8] = []
    private var hasAgreed = false
    private var left: Int

    init(bytes: Int) { left = bytes }

    func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop) {
        if hasAgreed { return echo(Array(bytes), on: stream, loop) }
        head += bytes
        guard let end = String(decoding: head, as: UTF8.self).range(of: "\r\n\r\n") else { return }
        hasAgreed = true
        let text = String(decoding: head, as: UTF8.self)
        stream.outbox.append(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n")
        echo(Array(text[end.upperBound...].utf8), on: stream, loop)
    }

    private func echo(_ bytes: [UInt8], on stream: ByteStream, _ loop: isolated EventLoop) {
        bytes.withUnsafeBytes { stream.outbox.append($0) }
        left -= bytes.count
        stream.flush(on: loop)
        if left <= 0 { stream.finishWriting(on: loop) }
    }

    func ended(_ stream: ByteStream, on loop: isolated EventLoop) { stream.close(on: loop) }
    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) {}
    func drained(_ stream: ByteStream, on loop: isolated EventLoop) {}
}
