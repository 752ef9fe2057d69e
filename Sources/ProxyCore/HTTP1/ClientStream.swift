import Bytes
import HTTPWire
import Records
import TLSEngine

/// Bytes that were passed on as they are.
struct RelayedBytes {
    var sent: Int64 = 0
    var received: Int64 = 0
}

/// The client's side of a session: what it sent and what it will be sent, encrypted or not.
final class ClientStream {
    /// Bytes for the socket.
    let outbox: ByteQueue
    /// Decrypted, not yet understood bytes.
    let inbox = ByteQueue()
    // Unchecked: a step of the reader looks at bytes and calls nobody; what it found is acted on when it has returned.
    @exclusivity(unchecked) var reader = MessageReader.requests(limits: WireLimits())
    var tls: TLSMachine?
    /// It has said all that it will say.
    var hasEnded = false
    /// When it had finished its handshake with a leaf of ours; nil again once it has asked for something there, so that
    /// it takes the leaf.
    var admittedTicks: Int64?
    /// Payload that went through unread, to its origin and back.
    var relayed = RelayedBytes()
    /// What it did with its origin, where that was watched.
    var witnessed: ConversationOutcome?

    /// Where plaintext is put together before it is encrypted; shared by all of the loop.
    private let scratch: ByteQueue

    init(outbox: ByteQueue, scratch: ByteQueue) {
        self.outbox = outbox
        self.scratch = scratch
    }

    /// The gate itself answers the client's hello. nil, or how the session ends where it can not.
    func takeUp(_ held: HeldClient) -> Transition? {
        do throws(TLSSetupError) {
            tls = try held.machine(outbox: outbox)
            return nil
        } catch {
            return .close(.gate(.fault(.tls(error))))
        }
    }

    /// Takes bytes off the wire into the inbox.
    func receive(_ bytes: UnsafeRawBufferPointer) {
        if let tls { tls.receive(bytes, plaintext: inbox) } else { inbox.append(bytes) }
    }

    /// Lets `body` write bytes for the client, encrypting them inside a tunnel.
    func compose(_ body: (ByteQueue) -> Void) {
        begin(body)
        seal()
    }

    /// The same, for what shares a record with what is sent next: a record costs more than a kilobyte in it.
    /// ``seal()`` must follow before the loop does anything else, because all of it share the place.
    func begin(_ body: (ByteQueue) -> Void) { body(tls == nil ? outbox : scratch) }

    /// Encrypts what was begun.
    func seal() {
        guard let tls, !scratch.isEmpty else { return }
        tls.send(scratch.bytes)
        scratch.removeAll()
    }

    func send(_ bytes: UnsafeRawBufferPointer) {
        guard let tls else { return outbox.append(bytes) }
        guard !scratch.isEmpty else { return tls.send(bytes) }
        let count = min(max(0, TLSMachine.recordBytes - scratch.count), bytes.count)
        scratch.append(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        seal()
        tls.send(UnsafeRawBufferPointer(rebasing: bytes[count...]))
    }

    func send(_ bytes: [UInt8]) { bytes.withUnsafeBytes { send($0) } }

    /// Takes what waits out of the inbox, for it to be fed somewhere else.
    func takeInbox() -> [UInt8] {
        defer { inbox.removeAll() }
        return Array(inbox.bytes)
    }
}

/// Which protocol is spoken on either side: the origin chooses, among those that the client can speak.
extension ClientStream {
    /// What a handshake with the origin offers: what the client offered, in its order, as far as we speak it. Once the
    /// client has settled for HTTP/1.1, no more than that; beside HTTP/2 alone, what that can be translated to, because
    /// a server may break off where it finds nothing of its own (RFC 7301 section 3.2; nginx from 1.21.4 on does).
    var protocolsForOrigin: [String] {
        guard let tls else { return [] }
        let isSettled = tls.state == .established && tls.negotiatedALPN != Self.http2
        if speaksOnlyHTTP2, !isSettled { return [Self.http2, Self.http1] }
        return protocols.filter { !isSettled || $0 != Self.http2 }
    }

    /// What the client is told: what the origin chose, or HTTP/2 where nothing else would do.
    func protocolToAnswer(for link: OriginLink?) -> String? {
        speaksOnlyHTTP2 ? Self.http2 : link?.tls?.negotiatedALPN
    }

    /// Whether a link from the pool speaks what its origin would have chosen for this client.
    func suits(_ link: OriginLink) -> Bool {
        let wanted = protocolsForOrigin
        if link.http2 != nil { return wanted.contains(Self.http2) }
        return link.offered.contains(Self.http2) || !wanted.contains(Self.http2)
    }

    var speaksHTTP2: Bool { tls?.negotiatedALPN == Self.http2 }

    private var speaksOnlyHTTP2: Bool { protocols == [Self.http2] }

    private var protocols: [String] {
        (tls?.clientHello?.alpn ?? []).filter { $0 == Self.http2 || $0 == Self.http1 }
    }

    /// Source: RFC 9113 section 3.1.
    static let http2 = "h2"
    /// Source: RFC 7301 section 6.
    static let http1 = "http/1.1"
}
