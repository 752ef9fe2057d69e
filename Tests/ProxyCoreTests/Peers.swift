import ATSPolicy
import Bytes
import ProxyCore
import TLSEngine
import Testing

/// The app: a TLS client in memory that accepts any certificate and remembers it.
final class AppPeer {
    let machine: TLSMachine
    let outbox = ByteQueue()
    let plaintext = ByteQueue()

    /// - Parameters:
    /// - serverName: as it is sent for a URL's host; empty for none.
    /// - isVerbatim: true to send the name byte for byte.
    /// - context: an existing context for the offer, or nil to create one.
    init(
        serverName: String, isVerbatim: Bool = false, alpn: [String] = ["http/1.1"], offer: TLSOffer = .atsNewest,
        context: OriginTLSContext? = nil
    ) throws {
        machine = try TLSMachine.origin(
            try context ?? OriginTLSContext(offer: offer), serverName: serverName, isVerbatim: isVerbatim, alpn: alpn,
            outbox: outbox)
    }

    /// The app's first flight.
    static func hello(_ serverName: String, isVerbatim: Bool = false) throws -> [UInt8] {
        let app = try AppPeer(serverName: serverName, isVerbatim: isVerbatim)
        app.machine.start()
        return app.outbox.drained
    }

    func send(_ text: String) {
        guard machine.state == .established else { return }
        Array(text.utf8).withUnsafeBytes { machine.send($0) }
    }

    /// Removes and returns the bytes that were decrypted so far.
    func reads() -> String { plaintext.taken }

    var leaf: CertificateFacts? {
        (try? World.trust.get()).flatMap { machine.facts(trust: $0)?.served.first }
    }
}

/// An origin that speaks TLS in memory.
final class OriginPeer {
    let machine: TLSMachine
    let outbox = ByteQueue()
    let plaintext = ByteQueue()
    private let ticketLeaf: Leaf?

    convenience init(_ settings: ServerTLSSettings) throws {
        try self.init(context: try ServerTLSContext(settings: settings))
    }

    init(context: ServerTLSContext) throws {
        machine = try TLSMachine.server(context, outbox: outbox)
        ticketLeaf = nil
    }

    /// An origin that sends session tickets after the handshake, as most servers do.
    init(sendingTickets identity: SigningIdentity) throws {
        machine = try TLSMachine.client(ClientTLSContext(), outbox: outbox)
        ticketLeaf = Leaf(identity: identity)
    }

    func receive(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { machine.receive($0, plaintext: plaintext) }
        if machine.state == .helloHeld, let ticketLeaf { machine.finish(leaf: ticketLeaf, alpn: "http/1.1") }
    }

    func send(_ text: String) {
        guard machine.state == .established else { return }
        Array(text.utf8).withUnsafeBytes { machine.send($0) }
    }

    func reads() -> String { plaintext.taken }
}

extension ServerTLSSettings {
    /// A sound origin for `host`.
    static func sound(_ host: String, alpn: [String] = ["http/1.1"]) throws -> ServerTLSSettings {
        ServerTLSSettings(identity: try World.identity(host), alpn: alpn)
    }

    /// A sound origin for several hosts.
    static func sound(forAll hosts: [String]) throws -> ServerTLSSettings {
        ServerTLSSettings(identity: try World.identity(hosts[0], names: hosts), alpn: ["http/1.1"])
    }

    /// Signed by an untrusted root.
    static func untrusted(_ host: String) throws -> ServerTLSSettings {
        ServerTLSSettings(
            identity: try World.identity(host, issuer: try World.strangeRoot.get()),
            intermediates: [try World.strangeRoot.get().certificate], alpn: ["http/1.1"])
    }

    /// Accepts only RSA key exchange.
    static func staticRSA(_ hosts: String...) throws -> ServerTLSSettings {
        ServerTLSSettings(
            identity: try World.identity(hosts[0], names: hosts, key: .rsa(bits: 2_048)), maximum: .tls12,
            cipherList: "AES128-GCM-SHA256", alpn: ["http/1.1"])
    }
}

extension TLSOffer {
    static let atsNewest = TLSOffer(minimum: .tls12, maximum: .tls13, suites: OSProfile.newest.atsSuites)
}

extension Playbook {
    /// Opens a tunnel by CONNECT, answered with 200 over a new link to `host`; the app's hello has not been sent.
    @discardableResult
    func openTunnel(_ host: String, over idle: OriginLink? = nil) throws -> OriginLink {
        client("CONNECT \(host):443 HTTP/1.1\r\nHost: \(host):443\r\n\r\n")
        return try connected(idle)
    }

    /// Starts the app's handshake.
    func appStarts(_ host: String, alpn: [String] = ["http/1.1"]) throws {
        clientOutbox.removeAll()
        let app = try AppPeer(serverName: host, alpn: alpn)
        self.app = app
        app.machine.start()
        carry()
    }

    func serve(_ link: OriginLink, as peer: OriginPeer) {
        peers[ObjectIdentifier(link)] = peer
        carry()
    }

    /// Carries bytes between session, app and origins until no byte moves.
    func carry() {
        var hasMoved = true
        while hasMoved {
            hasMoved = false
            if let app {
                let down = clientOutbox.drained
                if !down.isEmpty {
                    down.withUnsafeBytes { app.machine.receive($0, plaintext: app.plaintext) }
                    hasMoved = true
                }
                let up = app.outbox.drained
                if !up.isEmpty {
                    client(up)
                    hasMoved = true
                }
            }
            for link in links where carry(link) { hasMoved = true }
        }
    }

    private func carry(_ link: OriginLink) -> Bool {
        guard let peer = peers[ObjectIdentifier(link)] else { return false }
        let up = sent(to: link)
        if !up.isEmpty { peer.receive(up) }
        let down = peer.outbox.drained
        if !down.isEmpty { origin(down, on: link) }
        return !up.isEmpty || !down.isEmpty
    }

    /// Sends text from the app inside its tunnel.
    func appSends(_ text: String) {
        app?.send(text)
        carry()
    }

    func peerSends(_ text: String, on link: OriginLink? = nil) {
        guard let link = link ?? links.last else { return }
        peers[ObjectIdentifier(link)]?.send(text)
        carry()
    }

    func peerReads(on link: OriginLink? = nil) -> String {
        (link ?? links.last).flatMap { peers[ObjectIdentifier($0)]?.reads() } ?? ""
    }

    /// Opens a whole tunnel: CONNECT and both handshakes, ready for loads.
    @discardableResult
    func tunnel(to host: String, serving settings: ServerTLSSettings? = nil) throws -> OriginLink {
        let link = try openTunnel(host)
        serve(link, as: try OriginPeer(try settings ?? .sound(host)))
        try appStarts(host)
        return link
    }
}

extension ByteQueue {
    /// Removes and returns the waiting bytes.
    var drained: [UInt8] {
        defer { removeAll() }
        return Array(bytes)
    }
}
