import Bytes
import HTTP2Engine
import HTTPWire
import ProxyCore
import TLSEngine
import Testing

/// One stream as an in-memory peer sees it.
final class StreamLog: HTTP2StreamHandler {
    fileprivate(set) var stream: HTTP2Stream?
    let request: HTTP2Request?
    var heads: [ResponseHead] = []
    var body: [UInt8] = []
    var hasEnded = false
    var trailers: FieldBlock?
    var end: HTTP2StreamEnd?
    /// True to return the credit of received bytes immediately.
    var consumes = true

    init(_ request: HTTP2Request? = nil, stream: HTTP2Stream? = nil) {
        self.request = request
        self.stream = stream
    }

    var text: String { String(decoding: body, as: UTF8.self) }
    var status: Int? { heads.last?.status }

    func answered(_ head: ResponseHead, endsStream: Bool, on stream: HTTP2Stream) { heads.append(head) }
    func received(_ bytes: UnsafeRawBufferPointer, on stream: HTTP2Stream) {
        body += bytes
        if consumes { stream.consume(bytes.count) }
    }
    func ended(_ stream: HTTP2Stream, trailers: FieldBlock?) {
        hasEnded = true
        self.trailers = trailers
    }
    func drained(_ count: Int, from stream: HTTP2Stream) {}
    func closed(_ stream: HTTP2Stream, _ end: HTTP2StreamEnd) { self.end = end }
}

/// One in-memory side of HTTP/2: the app, or an origin that keeps its requests.
final class StreamPeer: HTTP2Handler {
    let machine: HTTP2Machine
    /// The received requests, oldest first.
    private(set) var requests: [StreamLog] = []
    private(set) var leaving: UInt32?
    var consumes = true

    init(_ role: HTTP2Role, limits: HTTP2Limits = HTTP2Limits()) throws {
        machine = try HTTP2Machine(role: role, limits: limits, via: "peer")
        machine.handler = self
    }

    func opened(_ request: HTTP2Request, _ stream: HTTP2Stream) {
        let log = StreamLog(request, stream: stream)
        log.consumes = consumes
        stream.handler = log
        requests.append(log)
    }
    func peerChangedSettings(_ machine: HTTP2Machine) {}
    func peerIsLeaving(_ machine: HTTP2Machine, code: UInt32) { leaving = code }

    /// Feeds `bytes` to the machine and returns its output.
    func exchange(_ bytes: [UInt8]) -> [UInt8] {
        if !bytes.isEmpty { bytes.withUnsafeBytes { machine.receive($0) } }
        let queue = ByteQueue()
        machine.write(to: queue, upTo: Int.max)
        return queue.drained
    }
}

extension HTTP2Request {
    static func plain(
        _ path: String, method: HTTPWire.Method = .get, host: String = "good.test", fields: [(String, String)] = [],
        endsStream: Bool = true, protocolName: String? = nil, scheme: String = "https"
    ) -> HTTP2Request {
        var block = FieldBlock()
        block.append("Host", host)
        for field in fields { block.append(field.0, field.1) }
        return HTTP2Request(
            head: RequestHead(
                method: method, target: .path(path), fields: block, framing: endsStream ? .none : .chunked),
            scheme: scheme, protocolName: protocolName, endsStream: endsStream)
    }
}

extension HTTP2Stream {
    /// Sends a whole response.
    func answer(_ status: Int, _ text: String = "", fields: [(String, String)] = []) {
        var block = FieldBlock()
        for field in fields { block.append(field.0, field.1) }
        answer(
            ResponseHead(status: status, reason: "", fields: block, framing: .chunked), endsStream: text.isEmpty)
        guard !text.isEmpty else { return }
        send(text)
        finish(trailers: nil)
    }

    func send(_ text: String) { Array(text.utf8).withUnsafeBytes { send($0) } }
}

/// A session between an app and origins that speak HTTP/2, all in memory.
final class StreamBook {
    let book: Playbook
    let app: StreamPeer
    /// One per link, in the order of ``Playbook/links``.
    private(set) var origins: [StreamPeer?] = []
    private let host: String

    /// Opens a tunnel and completes its handshakes.
    init(
        host: String = "good.test", alpn: [String] = ["h2", "http/1.1"], serves: [String] = ["h2"],
        limits: HTTP2Limits = HTTP2Limits(), appLimits: HTTP2Limits = HTTP2Limits(), loop: LoopContext? = nil,
        over idle: OriginLink? = nil
    ) throws {
        self.host = host
        book = try loop.map { try Playbook($0.policy, loop: $0) } ?? Playbook(.strict)
        app = try StreamPeer(.origin, limits: appLimits)
        let link = try book.openTunnel(host, over: idle)
        if idle == nil { try serve(link, serves, limits) }
        try book.appStarts(host, alpn: alpn)
        carry()
    }

    /// The last link's origin.
    var origin: StreamPeer? { origins.last ?? nil }

    private func serve(_ link: OriginLink, _ protocols: [String], _ limits: HTTP2Limits = HTTP2Limits()) throws {
        book.serve(link, as: try OriginPeer(.sound(host, alpn: protocols)))
        origins.append(protocols == ["h2"] ? try StreamPeer(.client, limits: limits) : nil)
    }

    /// A client's first bytes with a malformed request, whose stream nghttp2 resets: a field name with a capital
    /// letter.
    static let rejected: String = {
        let fields = "\u{2}\u{3}GET\u{6}\u{5}https\u{4}\u{1}/\u{1}\u{6}a.test\u{0}\u{1}X\u{1}y"
        let settings = "\0\0\0\u{4}\0\0\0\0\0"
        let length = String(Unicode.Scalar(UInt8(fields.utf8.count)))
        return "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\(settings)\0\0\(length)\u{1}\u{5}\0\0\0\u{1}\(fields)"
    }()

    /// Executes an order to connect.
    func connected(serves: [String] = ["h2"]) throws {
        try serve(try book.connected(), serves)
        carry()
    }

    @discardableResult
    func ask(_ request: HTTP2Request, consumes: Bool = true) throws -> StreamLog {
        let log = StreamLog(request)
        log.consumes = consumes
        let stream = try #require(app.machine.open(request, handler: log))
        log.stream = stream
        carry()
        return log
    }

    /// Carries bytes between all peers until no byte moves.
    func carry() {
        while true {
            book.carry()
            var hasMoved = false
            if let app = book.app {
                let tls = app.machine
                let said = self.app.exchange(app.plaintext.drained)
                if !said.isEmpty, tls.state == .established {
                    said.withUnsafeBytes { tls.send($0) }
                    hasMoved = true
                }
            }
            for (link, origin) in zip(book.links, origins) {
                guard let origin, let peer = book.peers[ObjectIdentifier(link)], peer.machine.state == .established
                else { continue }
                let said = origin.exchange(peer.plaintext.drained)
                if !said.isEmpty {
                    said.withUnsafeBytes { peer.machine.send($0) }
                    hasMoved = true
                }
            }
            if !hasMoved { return }
        }
    }
}
