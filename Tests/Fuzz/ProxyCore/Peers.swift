import Bytes
import HTTP2Engine
import HTTPWire
import ProxyCore
import TLSEngine

/// One in-memory peer: bytes, inside TLS if it has a machine for it, and HTTP/2 if negotiated.
final class Peer: HTTP2Handler, HTTP2StreamHandler {
    let tls: TLSMachine?
    /// Bytes for the other side.
    let outbox = ByteQueue()
    private let plaintext = ByteQueue()
    private let role: HTTP2Role
    private var http2: HTTP2Machine?
    private(set) var streams: [HTTP2Stream] = []
    /// Requests that were sent or received in HTTP/2.
    private(set) var requests = 0
    /// True if the peer sent raw bytes between its frames, so that their effect is unknown.
    private(set) var isHostile = false
    /// The bytes received outside of HTTP/2.
    private(set) var heard: [UInt8] = []

    /// - Parameter context: nil for cleartext.
    init(originUnder context: ServerTLSContext?) {
        tls = context.flatMap { [outbox] in try? TLSMachine.server($0, outbox: outbox) }
        role = .client
    }

    init(appAskingFor host: String, alpn: [String]) {
        tls = try? TLSMachine.origin(Setting.appContext, serverName: host, alpn: alpn, outbox: outbox)
        role = .origin
        tls?.start()
    }

    var isUp: Bool { tls?.state == .established }

    func receive(_ bytes: [UInt8]) {
        guard let tls else { return heard += bytes }
        bytes.withUnsafeBytes { tls.receive($0, plaintext: plaintext) }
        if http2 == nil, isUp, tls.negotiatedALPN == "h2" {
            http2 = try? HTTP2Machine(role: role, via: "peer")
            http2?.handler = self
        }
        let said = Array(plaintext.bytes)
        plaintext.removeAll()
        guard let http2 else { return heard += said }
        said.withUnsafeBytes { http2.receive($0) }
        speak()
    }

    /// Sends raw bytes: inside TLS after the handshake, or as they are without TLS.
    func say(_ bytes: [UInt8]) {
        guard let tls else { return outbox.append(bytes) }
        guard isUp else { return }
        if http2 != nil { isHostile = true }
        bytes.withUnsafeBytes { tls.send($0) }
    }

    /// Ends the peer. Its machine releases the open streams, which would otherwise keep this peer and the machine
    /// alive.
    func leave() { http2?.abandon() }

    func sendGoAway() {
        if http2 == nil { tls?.sendClose() } else { http2?.shutDown(.noError) }
        speak()
    }

    /// Performs an HTTP/2 action: an app requests, an origin responds, either continues or breaks off, as `what`
    /// selects.
    func act(_ what: UInt8, _ which: Int) {
        guard let http2 else { return }
        if role == .origin, what & 7 == 0 || streams.isEmpty {
            ask(http2, what)
        } else if !streams.isEmpty {
            move(streams[which % streams.count], what)
        }
        speak()
    }

    private func ask(_ http2: HTTP2Machine, _ what: UInt8) {
        var fields = FieldBlock()
        fields.append(.host, "good.test")
        let ends = what & 8 == 0
        let head = RequestHead(
            method: ends ? .get : .post, target: .path("/"), fields: fields, framing: ends ? .none : .chunked)
        let request = HTTP2Request(
            head: head, scheme: "https", protocolName: what & 16 == 0 ? nil : "websocket", endsStream: ends)
        guard let stream = http2.open(request, handler: self) else { return }
        requests += 1
        streams.append(stream)
    }

    private func move(_ stream: HTTP2Stream, _ what: UInt8) {
        guard !stream.isClosed else { return }
        switch what & 7 {
        case 0, 1, 2:
            let status = [200, 204, 302, 103, 407, 500][Int(what >> 3) % 6]
            let isWhole = what & 1 == 0 && status != 103
            if role == .client {
                stream.answer(ResponseHead(status: status, reason: "", framing: .chunked), endsStream: isWhole)
            }
        case 3, 4: [UInt8](repeating: what, count: 1_000).withUnsafeBytes { stream.send($0) }
        case 5: stream.finish(trailers: nil)
        case 6: stream.reset(what & 8 == 0 ? .cancel : .refusedStream)
        default: stream.consume(500)
        }
    }

    private func speak() {
        guard let http2, let tls else { return }
        let frames = ByteQueue()
        http2.write(to: frames, upTo: .max)
        if !frames.isEmpty { tls.send(frames.bytes) }
    }

    func opened(_ request: HTTP2Request, _ stream: HTTP2Stream) {
        requests += 1
        stream.handler = self
        streams.append(stream)
    }

    func peerChangedSettings(_ machine: HTTP2Machine) {}
    func peerIsLeaving(_ machine: HTTP2Machine, code: UInt32) {}
    func answered(_ head: ResponseHead, endsStream: Bool, on stream: HTTP2Stream) {}
    func received(_ bytes: UnsafeRawBufferPointer, on stream: HTTP2Stream) {
        if stream.id % 4 != 3 { stream.consume(bytes.count) }
    }
    func ended(_ stream: HTTP2Stream, trailers: FieldBlock?) {}
    func drained(_ count: Int, from stream: HTTP2Stream) {}
    func closed(_ stream: HTTP2Stream, _ end: HTTP2StreamEnd) {}
}
