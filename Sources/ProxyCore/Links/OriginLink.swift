public import ATSPolicy
public import Bytes
import HTTP2Engine
import HTTPWire
import OriginHandshake
import TLSEngine

/// A session's view of a connection to an origin: bytes to write, a TLS machine after the origin was judged, and the
/// facts of its handshake. The socket stays in ProxyServer.
public final class OriginLink {
    /// Identifies the loads that this link may serve.
    public struct Key: Hashable {
        public let target: LoadTarget
        public let offer: TLSOffer?
        /// The demands that its origin was judged by.
        public let demands: TLSDemands?
        /// True if neither ATS nor the app's own trust code applies.
        public let isOutside: Bool
        /// The address that was dialed instead of the target's name; nil if the name was resolved.
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
    /// The dialed `ADDRESS:PORT`.
    public let address: String
    /// Bytes for the socket.
    public let outbox: ByteQueue
    /// Microseconds for lookup and connect.
    public let connectTicks: Int64
    // Unchecked, as for `loads`: only whole reads and writes.
    @exclusivity(unchecked) public var route = OriginRoute.direct
    /// Loads that this link has carried.
    @exclusivity(unchecked) public private(set) var loads = 0

    /// Approximate memory use while idle.
    public var bytes: Int { 8_192 + (met.facts?.parsedBytes ?? 0) }
    /// Its origin, as judged once ``tls`` is set.
    private(set) var met: MetOrigin
    /// nil in cleartext, and until the origin's handshake was judged.
    private(set) var tls: TLSMachine?
    /// The ruling that the origin was judged by. A load with other demands needs a new handshake. nil whenever ``tls``
    /// is.
    private(set) var ruled: TargetRuling?
    /// Set once the link is known to use HTTP/2.
    private(set) var http2: HTTP2Machine?
    let plaintext = ByteQueue()
    // Unchecked: a step of the reader only inspects bytes and calls no other code. Its result is used after it
    // returned.
    @exclusivity(unchecked) var reader = MessageReader.responses(limits: WireLimits())
    /// The reasons for not reading from the origin; written only by ``SessionContext``.
    var holds: FlowGate.OriginHolds = []
    /// HTTP/2: its outbox is full and frames wait for it.
    private(set) var isHeldBack = false
    /// True if another load may use the link after this one.
    var isReusable = true
    /// True if only the client that it was made for may use it. A device would have refused its origin, it was dialed
    /// for another name, or the client has logged in on it.
    var isPrivate = false
    /// True if the client has logged in on it: its origin knows the client by the connection.
    var hasLogin = false
    /// True if the link has been idle since it was dialed, so the origin may have closed it.
    var hasRested = false

    public init(key: Key, address: String, outbox: ByteQueue, connectTicks: Int64) {
        self.key = key
        self.address = address
        self.outbox = outbox
        self.connectTicks = connectTicks
        met = MetOrigin(unjudgedAt: address)
    }

    /// True if TLS is up and was judged. Only such a link, or a cleartext one, may be kept for other loads.
    var isSecured: Bool { tls != nil }

    /// True if its TLS, if any, has not ended.
    var isUp: Bool { tls.map { $0.state == .established } ?? true }

    /// True if a load may use it as it is: its origin was judged by the demands of that load.
    ///
    /// - Parameter ruled: a ruling of the policy in force.
    func isGood(for ruled: TargetRuling) -> Bool {
        guard let judged = self.ruled else { return ruled.target.scheme == .http }
        return isUp && judged.isEquivalent(to: ruled)
    }

    /// Changes the key of a link that was dialed for an address before the host's name was known. This is safe because
    /// it carries no bytes yet.
    func rekey(_ key: Key) {
        if let place = self.key.place, place == key.place, !isSecured { self.key = key }
    }

    /// Takes over the TLS of a judged origin; loads with the same demands may then use the link.
    ///
    /// - Throws: ``HTTP2Failure/library(_:)`` if the origin agreed to HTTP/2 and there is no memory for it.
    func secure(_ met: MetOrigin, over tls: TLSMachine, by ruled: TargetRuling) throws(HTTP2Failure) {
        self.tls = tls
        self.met = met
        self.ruled = ruled
        if tls.negotiatedALPN == ClientStream.http2 { try startHTTP2() }
    }

    /// Counts a load that uses the link.
    ///
    /// - Returns: true if it is the first one, which has the time of connecting in its record.
    func countLoad() -> Bool {
        loads += 1
        return loads == 1 && !hasRested
    }

    /// Calls `body` to write bytes for the origin, and encrypts them if the link is secured.
    ///
    /// - Parameter scratch: an empty queue to collect plaintext in.
    func compose(_ scratch: ByteQueue, _ body: (ByteQueue) -> Void) {
        guard let tls else { return body(outbox) }
        body(scratch)
        tls.send(scratch.bytes)
        scratch.removeAll()
    }

    func send(_ bytes: UnsafeRawBufferPointer) {
        if let tls { tls.send(bytes) } else { outbox.append(bytes) }
    }

    /// True if an idle link is still usable after the origin has sent `bytes`. TLS session tickets are allowed at any
    /// time, a response without a request is not.
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

    /// Switches the link to HTTP/2; bytes already received are read as such.
    ///
    /// - Throws: ``HTTP2Failure/library(_:)`` if there is no memory.
    func startHTTP2() throws(HTTP2Failure) {
        guard http2 == nil else { return }
        http2 = try HTTP2Machine(role: .origin)
        if tls == nil { isPrivate = true }
        readFrames()
    }

    /// Reads bytes from the origin as HTTP/2 frames.
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

    /// Writes pending frames to the outbox, up to a limit.
    ///
    /// - Parameter scratch: an empty queue to collect plaintext in.
    func writeFrames(_ scratch: ByteQueue, limit: Int) {
        guard let http2 else { return }
        isHeldBack = http2.moveFrames(through: tls, to: outbox, scratch: scratch, limit: limit)
    }

    /// True if it is an HTTP/2 link that carries no stream and can open more.
    var mayKeepStreams: Bool {
        guard let http2 else { return false }
        return http2.activeStreams == 0 && http2.canOpenStream
    }

    /// True if no bytes on it are unread or unsent.
    var isQuiet: Bool { http2 != nil ? mayKeepStreams : outbox.isEmpty && plaintext.isEmpty }
}

extension HandshakeFacts {
    /// Approximate memory of a connection with these certificates, which stay parsed. Measured: 10 KiB with a usual
    /// chain, and 96 bytes for each name.
    fileprivate var parsedBytes: Int {
        served.reduce(10_240) { $0 + 96 * ($1.dnsNames.count + $1.ipAddresses.count + ($1.unkeptNames ?? 0)) }
    }
}

/// The route of a link to its origin.
public enum OriginRoute: Sendable, Hashable {
    case direct
    /// Through a tunnel opened by a parent proxy, named as `HOST:PORT`. Equivalent to a direct connection.
    case tunnel(through: String)
    /// A parent proxy reads the requests itself, so they contain absolute URLs.
    case parent(String, authorization: String?)

    /// The parent proxy's name, for records.
    var parent: String? {
        switch self {
        case .direct: nil
        case .tunnel(let name), .parent(let name, _): name
        }
    }
}

extension OriginLink {
    /// Makes the link private after NTLM or Negotiate, which log in a connection, not a request. Source: RFC 4559
    /// section 6; RFC 9110 section 11.6.3.
    func noteLogin(in fields: FieldBlock) {
        guard !hasLogin, fields.bindConnection else { return }
        hasLogin = true
        isPrivate = true
    }
}

extension FieldBlock {
    fileprivate var bindConnection: Bool {
        Self.loginFields.contains { name in
            contains(name)
                && values(of: name).contains { value in
                    value.split(separator: ",").contains { challenge in
                        let scheme = challenge.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
                        return Self.connectionSchemes.contains(scheme.lowercased())
                    }
                }
        }
    }

    private static let loginFields: [KnownField] = [.authorization, .wwwAuthenticate]
    private static let connectionSchemes: Set<String> = ["ntlm", "negotiate"]
}
