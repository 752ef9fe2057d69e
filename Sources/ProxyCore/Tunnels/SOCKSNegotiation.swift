import ATSPolicy
import Bytes
import HTTPWire
import Text

/// A client of a SOCKS listener until it has named its target; then it continues like a CONNECT.
final class SOCKSNegotiation: SessionMachine {
    let context: SessionContext
    private var greeting = SOCKSGreeting()

    init(_ context: SessionContext) {
        self.context = context
    }

    var tunnel: Tunnel? { nil }
    var isBetweenLoads: Bool { context.client.inbox.isEmpty }
    var onlyWaits: Bool { true }

    func begin() -> Transition { .stay }

    func clientSent(_ bytes: UnsafeRawBufferPointer) -> Transition {
        context.client.receive(bytes)
        if context.timer.armed != .head { context.arm(.head) }
        return read()
    }

    func drain() -> Transition { .close(.settled) }
    func end(_ reason: EndReason) {}

    private func read() -> Transition {
        let client = context.client
        while true {
            let step = greeting.next(in: client.inbox.bytes)
            client.inbox.consume(step.consumed)
            switch step.event {
            case .methodAccepted: client.send(SOCKSReply.noAuthentication)
            case .methodRefused: return refuse(SOCKSReply.noMethod)
            case .refused(let reply): return refuse(reply.bytes)
            case .stranger: return refuseOtherProtocol()
            case .connect(let host, let port):
                return TunnelOpening.open(
                    RequestHead(method: .connect, target: .authority(host: host, port: port)), context)
            case nil: return .stay
            }
        }
    }

    private func refuse(_ bytes: [UInt8]) -> Transition {
        context.client.send(bytes)
        return .linger
    }

    /// Answers a client that sends HTTP to the SOCKS listener.
    private func refuseOtherProtocol() -> Transition {
        let client = context.client
        guard let first = client.inbox.bytes.first, UInt8(ascii: "A")...UInt8(ascii: "Z") ~= first else {
            return .close(.settled)
        }
        client.write(
            GatePage(
                status: 400, title: "This is a SOCKS5 proxy",
                sentences: ["This atsgate listener is for SOCKS5. For HTTP, use another listener."],
                wantsJSON: false),
            answering: nil, ends: true)
        return .linger
    }
}

/// Reads the messages of a SOCKS5 client before its tunnel opens. Owns no bytes and does no I/O.
///
/// The caller passes all unconsumed bytes to ``next(in:)``, drops the consumed ones, and repeats until the event is nil.
/// Only CONNECT without authentication is served. Source: RFC 1928 sections 3 to 6.
public struct SOCKSGreeting: Sendable {
    public enum Event: Sendable, Hashable {
        /// The client offers to connect without authentication: send ``SOCKSReply/noAuthentication``.
        case methodAccepted
        /// The client requires authentication: send ``SOCKSReply/noMethod`` and close.
        case methodRefused
        /// The client requests a tunnel; `host` is lower-case, an IPv6 address without brackets.
        case connect(host: String, port: Int)
        /// The request is not supported: send the reply and close.
        case refused(SOCKSReply)
        /// The bytes are not SOCKS5.
        case stranger
    }

    public struct Step: Sendable {
        /// nil if more bytes are needed.
        public var event: Event?
        /// Bytes to drop.
        public var consumed = 0
    }

    private enum State: Sendable {
        case methods, request, over
    }

    private var state = State.methods

    public init() {}

    /// Returns the next event in `bytes`, which are all the unconsumed bytes. No event follows the request.
    public mutating func next(in bytes: UnsafeRawBufferPointer) -> Step {
        switch state {
        case .methods: readMethods(ByteView(bytes))
        case .request: readRequest(ByteView(bytes))
        case .over: Step()
        }
    }

    private mutating func readMethods(_ bytes: ByteView) -> Step {
        guard bytes.count >= 1 else { return Step() }
        guard bytes[0] == Self.version else { return finish(.stranger, 0) }
        guard bytes.count >= 2, bytes.count >= 2 + Int(bytes[1]) else { return Step() }
        let end = 2 + Int(bytes[1])
        guard bytes.slice(2..<end).contains(Self.withoutAuthentication) else { return finish(.methodRefused, end) }
        state = .request
        return Step(event: .methodAccepted, consumed: end)
    }

    private mutating func readRequest(_ bytes: ByteView) -> Step {
        guard bytes.count >= 1 else { return Step() }
        guard bytes[0] == Self.version else { return finish(.stranger, 0) }
        guard bytes.count >= 4 else { return Step() }
        let isConnect = bytes[1] == Self.connect
        switch bytes[3] {
        case 1: return readTarget(bytes, 4..<8, isConnect) { Self.address($0) }
        case 3:
            guard bytes.count >= 5 else { return Step() }
            return readTarget(bytes, 5..<(5 + Int(bytes[4])), isConnect) { Self.name($0) }
        case 4: return readTarget(bytes, 4..<20, isConnect) { Self.address($0) }
        default: return finish(.refused(.addressTypeNotSupported), bytes.count)
        }
    }

    /// Reads an address and the port after it.
    private mutating func readTarget(
        _ bytes: ByteView, _ address: Range<Int>, _ isConnect: Bool,
        host: (UnsafeRawBufferPointer) -> String?
    ) -> Step {
        let end = address.upperBound + 2
        guard bytes.count >= end else { return Step() }
        guard isConnect else { return finish(.refused(.commandNotSupported), end) }
        let port = bytes.number16(at: end - 2)
        guard port > 0, let host = host(bytes.slice(address)) else {
            return finish(.refused(.generalFailure), end)
        }
        return finish(.connect(host: host, port: port), end)
    }

    private mutating func finish(_ event: Event, _ consumed: Int) -> Step {
        state = .over
        return Step(event: event, consumed: consumed)
    }

    private static func address(_ bytes: UnsafeRawBufferPointer) -> String? {
        IPAddress(bytes: Array(bytes))?.description
    }

    /// A DNS name, or an address as text; nil for anything else, as in the authority of an HTTP request.
    private static func name(_ bytes: UnsafeRawBufferPointer) -> String? {
        HostGrammar.isValidHost(bytes) ? String(decoding: bytes, as: UTF8.self).lowercased() : nil
    }

    private static let version: UInt8 = 5
    private static let withoutAuthentication: UInt8 = 0
    private static let connect: UInt8 = 1
}

/// The reply to a SOCKS5 request. Raw values are sent as they are (RFC 1928 section 6).
public enum SOCKSReply: UInt8, Sendable, Hashable {
    case succeeded = 0
    case generalFailure = 1
    case notAllowed = 2
    case networkUnreachable = 3
    case hostUnreachable = 4
    case connectionRefused = 5
    case commandNotSupported = 7
    case addressTypeNotSupported = 8

    /// The reply's bytes. The bound address is zero: the client can use neither the gate's nor the origin's.
    public var bytes: [UInt8] { [5, rawValue, 0, 1, 0, 0, 0, 0, 0, 0] }

    /// Answers to the list of methods. Source: RFC 1928 section 3.
    public static let noAuthentication: [UInt8] = [5, 0]
    public static let noMethod: [UInt8] = [5, 0xFF]

    /// The reply that corresponds to an HTTP status and its failure.
    init(status: Int, failure: LoadFailure?) {
        switch failure {
        case .network(.name), .network(.timeout), .network(.reset), .lost: self = .hostUnreachable
        case .network(.refused): self = .connectionRefused
        case .network(.parent(_, .answered(status: 403))): self = .notAllowed
        case .network(.ownAddress), .network(.forbidden): self = .notAllowed
        case .network(.noDescriptors), .network(.parent), .network(.decrypted), .cleartext, .trust, .handshake,
            .malformedAnswer, nil:
            // 508: the target is the gate itself, which no rule allows.
            self = status == 403 || status == 508 ? .notAllowed : .generalFailure
        }
    }
}
