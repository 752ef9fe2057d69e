public import ATSPolicy
public import Bytes
import HTTP2Engine
import HTTPWire
import OriginHandshake
import Records
import TLSEngine

/// A connection to an origin, as far as a session sees it: bytes to write, a TLS machine once the origin was judged, and
/// what its handshake showed. The socket stays in ProxyServer.
public final class OriginLink {
    /// Which loads this link may serve.
    public struct Key: Hashable {
        public let target: LoadTarget
        public let offer: TLSOffer?
        /// What was asked of its origin.
        public let demands: TLSDemands?
        /// Neither ATS nor the app's own code has a say.
        public let isOutside: Bool
        /// The address that was dialed whatever the target's name; nil where the name led.
        public let place: OriginalDestination?

        public init(_ permit: ConnectPermit, at place: OriginalDestination? = nil) {
            self.place = place
            isOutside = permit.basis.step == .outside
            target = permit.target
            offer = permit.offer
            demands = permit.demands
        }
    }

    public private(set) var key: Key
    /// `ADDRESS:PORT` that was dialed.
    public let address: String
    /// Bytes for the socket.
    public let outbox: ByteQueue
    /// Microseconds that looking up and connecting took.
    public let connectTicks: Int64
    // Unchecked, with `loads`: each is loaded, or stored, as a whole.
    @exclusivity(unchecked) public var route = OriginRoute.direct
    /// Loads that this link has carried.
    @exclusivity(unchecked) public private(set) var loads = 0

    /// What it takes in memory while it is idle, about.
    public var bytes: Int { 8_192 + (origin.facts?.parsedBytes ?? 0) }
    private(set) var origin: RecordedOrigin
    private(set) var handshakeTicks: Int64?
    /// nil in the clear, and until the origin's handshake was judged.
    private(set) var tls: TLSMachine?
    /// What the system would have refused and the app's own code let pass.
    private(set) var remark: RecordedDiagnosis?
    /// What the origin was judged by; what asks for anything else has to shake hands anew. nil as for ``tls``.
    private(set) var ruled: TargetRuling?
    /// What a device would have refused, where audit mode lets the origin pass.
    private(set) var diagnosis: RecordedDiagnosis?
    /// The protocols that its handshake offered.
    private(set) var offered: [String] = []
    /// Set where the link speaks HTTP/2, once that is known.
    private(set) var http2: HTTP2Machine?
    let plaintext = ByteQueue()
    // Unchecked: a step of the reader looks at bytes and calls nobody; what it found is acted on when it has returned.
    @exclusivity(unchecked) var reader = MessageReader.responses(limits: WireLimits())
    /// Why nothing is read from the origin; written by ``SessionContext`` alone.
    var holds: FlowGate.OriginHolds = []
    /// HTTP/2: its outbox is full and frames wait for it.
    private(set) var isHeldBack = false
    /// Still fit to carry another load when this one is over.
    var mayKeep = true
    /// Good for the client that it was made for, not for others: judged and found wanting, made in another name, or
    /// logged in.
    var isPrivate = false
    /// It has been idle since it was dialed, so the origin may have given it up meanwhile.
    var hasRested = false

    public init(key: Key, address: String, outbox: ByteQueue, connectTicks: Int64) {
        self.key = key
        self.address = address
        self.outbox = outbox
        self.connectTicks = connectTicks
        origin = RecordedOrigin(address: address, facts: nil)
    }

    /// Whether TLS is up and was judged; only such a link, or a cleartext one, may be kept for other loads.
    var isSecured: Bool { tls != nil }

    /// Its TLS, where it has any, has not ended.
    var isUp: Bool { tls.map { $0.state == .established } ?? true }

    /// Whether a load may go on it as it is: its origin was judged by what the law in force asks of that load.
    ///
    /// - Parameter ruled: under the law in force.
    func isGood(for ruled: TargetRuling) -> Bool {
        guard let judged = self.ruled else { return ruled.target.scheme == .http }
        return isUp && judged.asksTheSame(as: ruled)
    }

    /// It was dialed for an address before anybody knew the name that is asked for there: nothing was said on it yet, so
    /// it may as well have been dialed for that name.
    func take(_ key: Key) {
        if let place = self.key.place, place == key.place, !isSecured { self.key = key }
    }

    /// Takes over an origin that was judged; loads that ask the same of it may use the link from here on.
    ///
    /// - Parameter diagnosis: what a device would have refused, in audit mode.
    func secure(_ origin: SecuredOrigin, by ruled: TargetRuling, diagnosis: RecordedDiagnosis?) {
        tls = origin.tls
        self.origin = origin.recorded
        remark = origin.remark
        offered = origin.offered
        handshakeTicks = origin.handshakeTicks
        self.ruled = ruled
        self.diagnosis = diagnosis
        if tls?.negotiatedALPN == ClientStream.http2 { startHTTP2() }
    }

    /// A load goes on its way here; the first one pays for the link's making.
    func takeUp(_ load: Load) {
        load.isFirstOnLink = loads == 0 && !hasRested
        if isSecured { load.diagnosis = diagnosis ?? load.misdirection }
        loads += 1
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

    // MARK: HTTP/2

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
        plaintext.releaseIfEmpty()
    }

    /// Frames that are ready go to the outbox, up to a limit.
    ///
    /// - Parameter scratch: an empty queue to put plaintext together in.
    func writeFrames(_ scratch: ByteQueue, limit: Int) {
        guard let http2 else { return }
        isHeldBack = http2.moveFrames(through: tls, to: outbox, scratch: scratch, limit: limit)
    }

    /// An HTTP/2 link that carries nothing now and can carry more later.
    var mayKeepStreams: Bool {
        guard let http2 else { return false }
        return http2.activeStreams == 0 && http2.canOpenStream
    }

    /// Nothing that was said on it is unread or unsent.
    var isQuiet: Bool { http2 != nil ? mayKeepStreams : outbox.isEmpty && plaintext.isEmpty }
}
