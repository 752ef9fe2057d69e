import Bytes
import HTTP2Engine
import TLSEngine

/// The HTTP/2 half of a session: the client's streams with their loads, and the links that carry these.
final class Switchboard {
    /// The client's connection.
    let machine: HTTP2Machine
    /// Loads whose stream the client still has open.
    private(set) var loads: [StreamLoad] = []
    /// Loads that no link carries yet, the oldest first.
    var waiting: [StreamLoad] = []
    /// Links that are up. One of HTTP/2 carries many loads, one of HTTP/1.1 a single one.
    private(set) var links: [OriginLink] = []
    /// The link whose handshake is running.
    var shaking: OriginLink?
    /// An order to connect has not been answered.
    var isConnecting = false
    /// The pool handed out a link that did not suit.
    var hasMissed = false
    /// The client's outbox is full and frames wait for it.
    var isHeldBack = false
    private unowned let session: ProxySession

    init(session: ProxySession) throws {
        self.session = session
        machine = try HTTP2Machine(role: .client)
        machine.handler = self
    }

    func add(_ load: StreamLoad) {
        load.index = loads.count
        loads.append(load)
    }

    /// The last load takes the place of the one that goes, so that no number of loads makes this slow.
    func remove(_ load: StreamLoad) {
        guard load.index < loads.count, loads[load.index] === load else { return }
        let last = loads.removeLast()
        if last !== load {
            last.index = load.index
            loads[last.index] = last
        }
    }

    func add(_ link: OriginLink) {
        links.append(link)
        guard let http2 = link.http2 else { return }
        http2.handler = self
        mirrorSettings(of: http2)
    }

    func has(_ link: OriginLink) -> Bool { links.contains { $0 === link } }

    func remove(_ link: OriginLink) {
        links.removeAll { $0 === link }
        link.http2?.handler = nil
    }

    /// Nothing is promised to the client that its origin has not promised to us. Source: RFC 8441 section 3.
    private func mirrorSettings(of origin: HTTP2Machine) {
        if origin.peerAllowsConnectProtocol { machine.allowConnectProtocol() }
    }
}

extension Switchboard: HTTP2Handler {
    func opened(_ request: HTTP2Request, _ stream: HTTP2Stream) { session.streamOpened(request, stream, self) }

    func peerChangedSettings(_ machine: HTTP2Machine) {
        guard machine !== self.machine else { return }
        mirrorSettings(of: machine)
        session.serveWaiting(self)
    }

    func peerIsLeaving(_ machine: HTTP2Machine, code: UInt32) {}
}

/// Moves frames that are ready into an outbox, sealed where there is TLS, until `limit` bytes wait there.
///
/// - Parameter scratch: an empty queue to put plaintext together in.
/// - Returns: whether frames are left.
func moveFrames(
    of machine: HTTP2Machine, through tls: TLSMachine?, to outbox: ByteQueue, scratch: ByteQueue, limit: Int
) -> Bool {
    guard let tls else {
        machine.write(to: outbox, upTo: limit)
        return outbox.count >= limit && machine.wantsToWrite
    }
    guard tls.state == .established else { return false }
    while machine.wantsToWrite {
        guard outbox.count < limit else { return true }
        machine.write(to: scratch, upTo: sealedAtOnce)
        guard !scratch.isEmpty else { return false }
        tls.send(scratch.bytes)
        scratch.removeAll()
    }
    return false
}

/// Bytes that are put together before they are encrypted: a few full TLS records.
private let sealedAtOnce = 65_536
