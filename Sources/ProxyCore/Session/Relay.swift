import ATSPolicy
import Bytes
import Records
import TLSEngine

/// Bytes passed on as they are: counted, held back where the reader is slow, and watched where HTTP may not be among
/// them. Where TLS ends here, they are opened and sealed again.
final class Relay: RelayingMachine {
    /// What the bytes are counted for.
    enum Subject {
        /// A CONNECT tunnel that is none of our business.
        case tunnel(Tunnel)
        /// A load whose origin agreed to another protocol, WebSocket for one.
        case upgrade(Load, Tunnel?)
    }

    let context: SessionContext
    private let subject: Subject
    let link: OriginLink
    /// In a tunnel that carries no TLS. What it holds back waits in the client's inbox and in the link's plaintext.
    private var cleartext: CleartextGuard?
    /// In a tunnel that is passed through, with TLS of which another handshake may follow that nobody has judged.
    private var handshakes: SecondHandshakeWatch?
    /// The origin has half-closed.
    private var originHasEnded = false

    init(
        _ context: SessionContext, _ subject: Subject, over link: OriginLink,
        guardedBy cleartext: CleartextGuard? = nil, watching handshakes: SecondHandshakeWatch? = nil
    ) {
        self.context = context
        self.subject = subject
        self.link = link
        self.cleartext = cleartext
        self.handshakes = handshakes
    }

    var tunnel: Tunnel? {
        switch subject {
        case .tunnel(let tunnel): tunnel
        case .upgrade(_, let tunnel): tunnel
        }
    }

    private var client: ClientStream { context.client }

    func begin() -> Transition {
        context.arm(.idle)
        // What either side said before it was clear that we only relay.
        let early = client.takeInbox()
        context.releaseClient(link.outbox.count > context.highWaterBytes ? [.undecided, .unreadAnswers] : .all)
        let spoken = link.plaintext.isEmpty ? [] : Array(link.plaintext.bytes)
        link.plaintext.removeAll()
        let transition = spoken.withUnsafeBytes { hear($0) }
        guard case .stay = transition else { return transition }
        context.release(link, .undecided)
        return early.withUnsafeBytes { say($0) }
    }

    // MARK: What is denied

    /// The client speaks, and no TLS of ours is on its side.
    private func say(_ bytes: UnsafeRawBufferPointer) -> Transition {
        if let stop = handshakes?.clientSays(bytes), !endures(.stopped(stop, isClient: true)) {
            return .close(.settled)
        }
        renewLaw()
        switch cleartext?.clientSays(bytes) {
        case .hold?:
            client.inbox.append(bytes)
            return .stay
        case .refuse? where !mayGoOn(): return refuse()
        case .refuse?, .pass?, nil:
            passHeldToOrigin()
            passToOrigin(bytes)
            return .stay
        }
    }

    /// What nobody has judged ends the tunnel, or in audit mode is told, and nobody looks any more.
    private func endures(_ finding: Finding) -> Bool {
        handshakes = nil
        return tunnel.map { OwnHandshake.endures(finding, in: $0, context) } ?? true
    }

    private func passHeldToOrigin() {
        guard !client.inbox.isEmpty else { return }
        passToOrigin(client.inbox.bytes)
        client.inbox.removeAll()
    }

    /// The origin speaks, and no TLS of ours is on its side.
    private func hear(_ bytes: UnsafeRawBufferPointer) -> Transition {
        if let stop = handshakes?.originSays(bytes), !endures(.stopped(stop, isClient: false)) {
            return .close(.settled)
        }
        renewLaw()
        switch cleartext?.originSays(bytes) {
        case .hold?:
            link.plaintext.append(bytes)
            return .stay
        case .refuse? where !mayGoOn(): return refuse()
        case .refuse?, .pass?, nil:
            passHeldToClient()
            passToClient(bytes)
            return .stay
        }
    }

    private func passHeldToClient() {
        guard !link.plaintext.isEmpty else { return }
        passToClient(link.plaintext.bytes)
        link.plaintext.removeAll()
    }

    /// HTTP was found: whether it passes all the same, as in audit mode, where the record tells of it.
    private func mayGoOn() -> Bool {
        cleartext?.open()
        guard let tunnel else { return true }
        return context.leadToCleartext(tunnel)
    }

    /// What began under another law goes on under that in force.
    private func renewLaw() {
        guard let tunnel, let known = cleartext?.ruled, !context.isInForce(known) else { return }
        cleartext?.rule(anew: context.ruledOnCleartext(of: tunnel), originHasSpoken: client.relayed.received > 0)
    }

    private func refuse() -> Transition {
        LoadRecorder(context: context, tunnel: tunnel).fileTunnel(.close)
        return .close(.settled)
    }

    // MARK: From the client

    func clientSent(_ bytes: UnsafeRawBufferPointer) -> Transition {
        guard let tls = client.tls else { return say(bytes) }
        client.receive(bytes)
        passToOrigin(client.inbox.bytes)
        client.inbox.removeAll()
        switch tls.state {
        case .closed: return clientEnded()
        case .failed: return .close(.client(.left))
        case .handshaking, .helloHeld, .established: return .stay
        }
    }

    func clientEnded() -> Transition {
        // A server may take for a request what ends without its line's end.
        if cleartext?.isOpen == false, !client.inbox.isEmpty {
            guard mayGoOn() else { return refuse() }
            passHeldToOrigin()
        }
        guard !originHasEnded else { return .close(.settled) }
        client.hasEnded = true
        link.tls?.sendClose()
        context.effect(.finishOriginWriting(link))
        return .stay
    }

    // MARK: From the origin

    func originSent(_ bytes: UnsafeRawBufferPointer, on link: OriginLink) -> Transition {
        guard link === self.link else { return .stay }
        guard let tls = link.tls else { return hear(bytes) }
        tls.receive(bytes, plaintext: link.plaintext)
        passToClient(link.plaintext.bytes)
        link.plaintext.removeAll()
        link.plaintext.releaseIfEmpty()
        return tls.state == .established ? .stay : originEnded(link, reset: tls.state != .closed)
    }

    func originEnded(_ link: OriginLink, reset: Bool) -> Transition {
        guard link === self.link else { return .stay }
        if reset || client.hasEnded { return .close(.origin(.left(reset: reset))) }
        guard !originHasEnded else { return .stay }
        originHasEnded = true
        // Less than the beginning of an answer is none.
        if link.tls == nil { passHeldToClient() }
        client.tls?.sendClose()
        context.effect(.finishClientWriting)
        return .stay
    }

    // MARK: Flow

    private func passToOrigin(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        link.send(bytes)
        clientPassed(bytes.count, waiting: link.outbox.count)
    }

    private func passToClient(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        client.send(bytes)
        originPassed(link, bytes.count, waiting: client.outbox.count)
    }

    func clientPassed(_ count: Int, waiting: Int) {
        self.count(sent: count)
        context.arm(.idle)
        if waiting > context.highWaterBytes { context.holdClient(.originFull) }
    }

    func originPassed(_ link: OriginLink, _ count: Int, waiting: Int) {
        guard link === self.link else { return }
        self.count(received: count)
        context.arm(.idle)
        context.holdBack(link, waiting: waiting)
    }

    var clientSplice: OriginLink? { isTransparent ? link : nil }

    func originSpliceLimit(of link: OriginLink) -> Int? { link === self.link && isTransparent ? .max : nil }

    /// Nothing here has to look at the bytes.
    private var isTransparent: Bool {
        guard client.tls == nil, link.tls == nil, handshakes == nil else { return false }
        return cleartext.map { $0.isOpen && context.isInForce($0.ruled) } ?? true
    }

    // MARK: Its end

    func deadlinePassed(_ deadline: Deadline) -> Transition {
        switch deadline {
        case .idle, .head, .handshake, .answer, .halfClosed, .linger: .close(.settled)
        }
    }

    func end(_ reason: EndReason) {
        let recorder = LoadRecorder(context: context, tunnel: tunnel)
        if case .upgrade(let load, _) = subject { recorder.file(load, load.passVerdict, on: link) }
        recorder.fileTunnel()
        context.drop(link)
    }
}

extension Relay {
    private func count(sent: Int = 0, received: Int = 0) {
        switch subject {
        case .tunnel:
            client.relayed.sent += Int64(sent)
            client.relayed.received += Int64(received)
        case .upgrade(let load, _):
            load.bytesSent += Int64(sent)
            load.bytesReceived += Int64(received)
        }
    }
}
