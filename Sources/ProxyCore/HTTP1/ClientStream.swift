import Bytes
import HTTPWire
import OriginHandshake
import TLSEngine

/// Counts of bytes relayed unchanged.
struct RelayedBytes {
    var sent: Int64 = 0
    var received: Int64 = 0
}

/// The client's side of a session: received and outgoing bytes, encrypted or not.
final class ClientStream {
    /// Bytes for the socket.
    let outbox: ByteQueue
    /// Decrypted bytes that have not been parsed.
    let inbox = ByteQueue()
    // Unchecked: a step of the reader only inspects bytes and calls no other code. Its result is used after it
    // returned.
    @exclusivity(unchecked) var reader = MessageReader.requests(limits: WireLimits())
    var tls: TLSMachine?
    /// True if the client has sent everything it will send.
    var hasEnded = false
    /// The time when it finished its handshake with a leaf of the gate. nil again after its first request, which shows
    /// that it accepts the leaf.
    var admittedTicks: Int64?
    /// Payload relayed unread, in both directions.
    var relayed = RelayedBytes()
    /// The client's reaction to its origin, in witness mode.
    var witnessed: ConversationOutcome?

    /// Scratch buffer for plaintext before encryption; shared by the whole loop.
    private let scratch: ByteQueue

    init(outbox: ByteQueue, scratch: ByteQueue) {
        self.outbox = outbox
        self.scratch = scratch
    }

    /// Lets the gate answer the client's hello. Returns the transition that ends the session if that fails.
    func startTLS(with held: HeldClient) -> Transition? {
        do throws(TLSSetupError) {
            tls = try held.machine(outbox: outbox)
            return nil
        } catch {
            return .close(.gate(.fault(.tls(error))))
        }
    }

    /// Decrypts received bytes into the inbox.
    func receive(_ bytes: UnsafeRawBufferPointer) {
        if let tls { tls.receive(bytes, plaintext: inbox) } else { inbox.append(bytes) }
    }

    /// Calls `body` to write bytes for the client, and encrypts them inside a tunnel.
    func compose(_ body: (ByteQueue) -> Void) {
        begin(body)
        seal()
    }

    /// Writes bytes that share a TLS record with the next ones: each record costs as much as encrypting a kilobyte
    /// more. Call ``seal()`` before any other code of the loop runs, because the loop shares the scratch buffer.
    func begin(_ body: (ByteQueue) -> Void) { body(tls == nil ? outbox : scratch) }

    /// Encrypts the bytes written by ``begin(_:)``.
    func seal() {
        guard let tls, !scratch.isEmpty else { return }
        tls.send(scratch.bytes)
        scratch.removeAll()
    }

    func send(_ bytes: UnsafeRawBufferPointer) {
        guard let tls else { return outbox.append(bytes) }
        guard !scratch.isEmpty else { return tls.send(bytes) }
        let count = min(max(0, TLSMachine.recordBytes - scratch.count), bytes.count)
        scratch.append(ByteView(bytes).slice(upTo: count))
        seal()
        tls.send(ByteView(bytes).slice(from: count))
    }

    func send(_ bytes: [UInt8]) { bytes.withUnsafeBytes { send($0) } }

    /// Removes and returns the bytes in the inbox.
    func takeInbox() -> [UInt8] {
        defer { inbox.removeAll() }
        return Array(inbox.bytes)
    }
}

/// The protocol of either side: the origin chooses among those that the client supports.
extension ClientStream {
    /// The protocols to offer the origin: those of the client that we support, in its order. Once the client has
    /// negotiated HTTP/1.1, without HTTP/2. For a client that offers only HTTP/2, HTTP/1.1 is added and translated,
    /// because a server may abort without a common protocol (RFC 7301 section 3.2; nginx from 1.21.4 on does).
    var protocolsForOrigin: [String] {
        guard let tls else { return [] }
        let isSettled = tls.state == .established && tls.negotiatedALPN != Self.http2
        if speaksOnlyHTTP2, !isSettled { return [Self.http2, Self.http1] }
        return protocols.filter { !isSettled || $0 != Self.http2 }
    }

    /// The protocol to select for the client: the origin's choice, or HTTP/2 if the client offers nothing else.
    func protocolToAnswer(for link: OriginLink?) -> String? {
        speaksOnlyHTTP2 ? Self.http2 : link?.tls?.negotiatedALPN
    }

    /// True if a link from the pool uses the protocol that its origin would have chosen for this client.
    func suits(_ link: OriginLink) -> Bool {
        let wanted = protocolsForOrigin
        if link.http2 != nil { return wanted.contains(Self.http2) }
        return link.met.offered.contains(Self.http2) || !wanted.contains(Self.http2)
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
