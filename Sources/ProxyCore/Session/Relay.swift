import ATSPolicy
import Bytes
import Records
import TLSEngine

/// Relays bytes unchanged between the client and one link, counts them and applies back pressure. On a side whose TLS ends
/// here, the bytes are decrypted and encrypted again.
final class Relay: RelayingMachine {
    /// The record that counts the bytes.
    enum Subject {
        /// A CONNECT tunnel whose content is not HTTP or TLS, or is passed through.
        case tunnel(Tunnel)
        /// A load whose origin agreed to another protocol, such as WebSocket.
        case upgrade(Load, Tunnel?)
    }

    let context: SessionContext
    private let subject: Subject
    let link: OriginLink
    /// In a tunnel of other traffic: holds the origin's first bytes in the link's plaintext until they are classified.
    private var gate: RelayGate?
    /// In a tunnel that is passed through: detects a second, unjudged handshake.
    private var handshakes: SecondHandshakeWatch?
    /// The origin has half-closed.
    private var originHasEnded = false

    init(
        _ context: SessionContext, _ subject: Subject, over link: OriginLink,
        openedBy gate: RelayGate? = nil, watching handshakes: SecondHandshakeWatch? = nil
    ) {
        self.context = context
        self.subject = subject
        self.link = link
        self.gate = gate
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
        // Both sides may have sent bytes before the relay began.
        let early = client.takeInbox()
        context.releaseClient(link.outbox.count > context.highWaterBytes ? [.undecided, .unreadAnswers] : .all)
        let spoken = link.plaintext.isEmpty ? [] : Array(link.plaintext.bytes)
        link.plaintext.removeAll()
        let transition = spoken.withUnsafeBytes { fromOrigin($0) }
        guard case .stay = transition else { return transition }
        context.release(link, .undecided)
        return early.withUnsafeBytes { fromClient($0) }
    }

    // MARK: Bytes without TLS of ours

    private func fromClient(_ bytes: UnsafeRawBufferPointer) -> Transition {
        if let stop = handshakes?.clientSays(bytes), !tolerates(.stopped(stop, isClient: true)) {
            return .close(.settled)
        }
        passToOrigin(bytes)
        return .stay
    }

    /// An unjudged handshake ends the tunnel, or in audit mode is recorded and no longer watched.
    private func tolerates(_ finding: Finding) -> Bool {
        handshakes = nil
        return tunnel.map { OwnHandshake.tolerates(finding, in: $0, context) } ?? true
    }

    private func fromOrigin(_ bytes: UnsafeRawBufferPointer) -> Transition {
        if let stop = handshakes?.originSays(bytes), !tolerates(.stopped(stop, isClient: false)) {
            return .close(.settled)
        }
        guard !bytes.isEmpty, let tunnel, gate?.isOpen == false else {
            passToClient(bytes)
            return .stay
        }
        switch gate?.originSent(bytes, in: tunnel, context) {
        case .hold?:
            link.plaintext.append(bytes)
            return .stay
        case .refuse(let content)?:
            context.deny(content, in: tunnel)
            LoadRecorder(context: context, tunnel: tunnel).fileTunnel(.close)
            return .close(.settled)
        case .pass?, nil:
            if let content = gate?.audited { context.deny(content, in: tunnel) }
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

    // MARK: From the client

    func clientSent(_ bytes: UnsafeRawBufferPointer) -> Transition {
        guard let tls = client.tls else { return fromClient(bytes) }
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
        guard !originHasEnded else { return .close(.settled) }
        client.hasEnded = true
        link.tls?.sendClose()
        context.effect(.finishOriginWriting(link))
        return .stay
    }

    // MARK: From the origin

    func originSent(_ bytes: UnsafeRawBufferPointer, on link: OriginLink) -> Transition {
        guard link === self.link else { return .stay }
        guard let tls = link.tls else { return fromOrigin(bytes) }
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
        // Held bytes that are too few to be classified are neither TLS nor an HTTP answer.
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

    var clientSplice: OriginLink? { isUnread ? link : nil }

    func originSpliceLimit(of link: OriginLink) -> Int? {
        link === self.link && isUnread && gate?.isOpen != false ? .max : nil
    }

    /// True if the client's bytes need not be read here, so that the kernel may splice them.
    private var isUnread: Bool { client.tls == nil && link.tls == nil && handshakes == nil }

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
