public import ATSPolicy
public import Bytes
import HTTP2Engine
import HTTPWire
import Records
import TLSEngine

/// A connection to an origin, as far as a session sees it: bytes to write, a TLS machine once there is one, and what
/// its handshake showed. The socket stays in the server room.
public final class OriginLink {
    /// Which loads this link may serve.
    public struct Key: Hashable {
        public let target: LoadTarget
        public let offer: TLSOffer?

        public init(_ permit: ConnectPermit) {
            target = permit.target
            offer = permit.offer
        }
    }

    public let key: Key
    /// `ADDRESS:PORT` that was dialed.
    public let address: String
    /// Bytes for the socket.
    public let outbox: ByteQueue
    /// Microseconds that looking up and connecting took.
    public let connectTicks: Int64
    public var route = OriginRoute.direct
    /// Loads that this link has carried.
    public internal(set) var loads = 0

    /// Set once TLS is established and its facts passed the rules.
    var card: OriginCard
    var handshakeBegan: Int64?
    var handshakeTicks: Int64?
    var tls: TLSMachine?
    /// What the system would have refused and the app's own code let pass.
    private(set) var remark: DiagnosisCard?
    /// The law that the card was judged under; a link judged under another one has to shake hands anew.
    private var law: SystemPolicy?
    let plaintext = ByteQueue()
    var reader = MessageReader.responses(limits: WireLimits())
    /// The protocols that its handshake offered.
    var offered: [String] = []
    /// Set where the link speaks HTTP/2, once that is known.
    private(set) var http2: HTTP2Machine?
    /// The load that an HTTP/1.1 link carries for a client of HTTP/2.
    weak var line: StreamLoad?
    /// Its outbox is full and more waits for it.
    var isHeldBack = false
    var isPaused = false
    /// Still fit to carry another load when this one is over.
    var mayKeep = true
    /// Good for the tunnel that it was made for, not for others: judged and found wanting, or made in another name.
    var isPrivate = false
    /// It has been idle since it was dialed, so the origin may have given it up meanwhile.
    var hasRested = false
    /// The origin has half-closed; only a relay goes on after that.
    var hasEnded = false

    public init(key: Key, address: String, outbox: ByteQueue, connectTicks: Int64) {
        self.key = key
        self.address = address
        self.outbox = outbox
        self.connectTicks = connectTicks
        card = OriginCard(address: address, facts: nil)
    }

    /// Whether TLS is up and was judged; only such a link, or a cleartext one, may be kept for other loads.
    var isSecured: Bool { card.facts != nil }

    func isSecured(under law: SystemPolicy) -> Bool { isSecured && self.law === law && tls?.state == .established }

    /// Its handshake was judged under `law`, and loads may use it.
    func secure(_ card: OriginCard, under law: SystemPolicy, remark: DiagnosisCard? = nil) {
        self.card = card
        self.remark = remark
        self.law = law
        if tls?.negotiatedALPN == "h2" { startHTTP2() }
    }

    /// Lets `body` write bytes for the origin, encrypting them where the link is secured.
    ///
    /// - Parameter scratch: an empty queue to put plaintext together in.
    func compose(_ scratch: ByteQueue, _ body: (ByteQueue) -> Void) {
        guard let tls else { return body(outbox) }
        body(scratch)
        tls.send(scratch.bytes)
        scratch.removeAll()
    }

    func send(_ bytes: UnsafeRawBufferPointer) {
        if let tls { tls.send(bytes) } else { outbox.append(bytes) }
    }
}

extension OriginLink {
    /// Whether an idle link may still be used after the origin has sent `bytes`: TLS session tickets are welcome at
    /// any time, an answer that nobody asked for is not.
    public func staysFit(after bytes: UnsafeRawBufferPointer) -> Bool {
        guard let tls else { return false }
        guard http2 != nil else {
            tls.receive(bytes, plaintext: plaintext)
            return plaintext.isEmpty && tls.state == .established
        }
        absorb(bytes)
        writeFrames(ByteQueue(), limit: Int.max)
        return tls.state == .established && mayKeepStreams
    }
}

extension OriginLink {
    /// The link speaks HTTP/2 from here on; what it said already is read as that.
    func startHTTP2() {
        guard http2 == nil, let machine = try? HTTP2Machine(role: .origin) else { return }
        http2 = machine
        if tls == nil { isPrivate = true }
        readFrames()
    }

    /// Takes what came in, and lets its machine read it.
    func absorb(_ bytes: UnsafeRawBufferPointer) {
        if let tls { tls.receive(bytes, plaintext: plaintext) } else { plaintext.append(bytes) }
        readFrames()
    }

    private func readFrames() {
        guard let http2, !plaintext.isEmpty else { return }
        http2.receive(plaintext.bytes)
        plaintext.removeAll()
    }

    /// Frames that are ready go to the outbox, up to a limit.
    ///
    /// - Parameter scratch: an empty queue to put plaintext together in.
    func writeFrames(_ scratch: ByteQueue, limit: Int) {
        guard let http2 else { return }
        isHeldBack = moveFrames(of: http2, through: tls, to: outbox, scratch: scratch, limit: limit)
    }

    /// An HTTP/2 link that carries nothing now and can carry more later.
    var mayKeepStreams: Bool {
        guard let http2 else { return false }
        return http2.activeStreams == 0 && http2.canOpenStream
    }
}
