import FlyingFox
import FlyingSocks
import Foundation
import HTTPWire

/// Reads the requests of one connection, strictly and within bounds.
struct RequestInlet {
    /// A request without its body.
    struct Head {
        let request: HTTPRequest
        let isPersistent: Bool
        /// HTTP/1.0 knows no chunks (RFC 9112 section 6.1).
        let readsChunks: Bool
        /// Length of the body in bytes; nil where only its end will tell.
        let length: Int64?
        let waitsForContinue: Bool

        var hasBody: Bool { length != 0 }
    }

    enum HeadOutcome {
        /// The client is gone.
        case none
        /// With the status to answer.
        case malformed(Int)
        case head(Head)
    }

    enum BodyOutcome {
        case malformed(Int)
        case body(Data)
    }

    private let socket: AsyncSocket
    private let limits: WebLimits
    private var reader: MessageReader
    private var bytes: [UInt8] = []

    init(socket: AsyncSocket, limits: WebLimits) {
        self.socket = socket
        self.limits = limits
        var wire = WireLimits()
        wire.headBytes = limits.headBytes
        wire.fieldCount = 64
        reader = .requests(limits: wire)
    }

    /// The next head.
    mutating func head() async throws -> HeadOutcome {
        while true {
            switch step() {
            case .failure(let error): return .malformed(error.status)
            case .success(let step):
                if case .requestHead(let head)? = step.event {
                    guard case .path(let path) = head.target else { return .malformed(400) }
                    return .head(Head(head, path: path, from: socket.socket))
                }
                if step.event != nil || step.consumed > 0 { continue }
            }
            guard let more = try await more() else { return .none }
            bytes += more
        }
    }

    /// All of a body.
    mutating func body(of head: Head) async throws -> BodyOutcome {
        if let length = head.length, length > limits.bodyBytes { return .malformed(413) }
        if head.waitsForContinue { try await socket.write(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
        var body = Data()
        while true {
            let before = bytes
            switch step() {
            case .failure(let error): return .malformed(error.status)
            case .success(let step):
                if let range = step.body {
                    guard body.count + range.count <= limits.bodyBytes else { return .malformed(413) }
                    body += before[range]
                }
                if case .end? = step.event { return .body(body) }
                if step.event != nil || step.consumed > 0 { continue }
            }
            guard let more = try await more() else { return .malformed(400) }
            bytes += more
        }
    }

    /// One step of the reader over what is there.
    private mutating func step() -> Result<MessageReader.Step, WireError> {
        var reader = reader
        let reading = bytes.withUnsafeBytes { bytes in
            Result { () throws(WireError) in try reader.next(in: bytes) }
        }
        self.reader = reader
        if case .success(let step) = reading { bytes.removeFirst(step.consumed) }
        return reading
    }

    /// nil when the client has closed.
    private func more() async throws -> [UInt8]? {
        do {
            return try await socket.read(atMost: pieceBytes)
        } catch SocketError.disconnected {
            return nil
        }
    }
}

extension RequestInlet.Head {
    fileprivate init(_ head: RequestHead, path: String, from socket: Socket) {
        var headers = HTTPHeaders()
        head.fields.forEach { name, value, _ in
            headers.addValue(
                String(decoding: value, as: UTF8.self), for: HTTPHeader(String(decoding: name, as: UTF8.self)))
        }
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        request = HTTPRequest(
            method: HTTPMethod(rawValue: head.method.name), version: .http11,
            target: HTTPRequest.Target(
                path: String(parts.first ?? "/"), query: parts.count > 1 ? String(parts[1]) : ""),
            headers: headers, body: HTTPBodySequence(),
            remoteAddress: (try? socket.remotePeer()).map(HTTPRequest.Address.make))
        isPersistent = head.isPersistent
        readsChunks = head.minorVersion > 0
        waitsForContinue = head.expectsContinue
        length =
            switch head.framing {
            case .none: 0
            case .fixed(let count): count
            case .chunked, .untilClose: nil
            }
    }
}

private let pieceBytes = 16_384
