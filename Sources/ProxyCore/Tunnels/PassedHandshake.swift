import ATSPolicy
import Bytes
import OriginHandshake
import Records
import TLSEngine

/// Reads the client's own handshake with a passthrough host that has passed the gate's own. Its cleartext part is
/// judged by the same rules before the client receives any of it.
final class PassedHandshake: RelayingMachine {
    let context: SessionContext
    private let passed: Tunnel
    /// The client's hello, kept for a refusal.
    private let hello: HeldClient
    let link: OriginLink
    private var flight = OriginFlight()
    /// Set between a HelloRetryRequest and the client's second hello.
    private var second: SecondHello?
    /// The client has received data from the origin, so no other answer can be sent instead.
    private var isBegun = false

    init(_ context: SessionContext, in tunnel: Tunnel, hello: HeldClient, over link: OriginLink) {
        self.context = context
        passed = tunnel
        self.hello = hello
        self.link = link
    }

    var tunnel: Tunnel? { passed }
    private var client: ClientStream { context.client }
    private var own: OwnHandshake { OwnHandshake(context: context, tunnel: passed, hello: hello) }

    func begin() -> Transition {
        context.arm(.handshake)
        // Bytes after the judged hello wait, including early data: they may contain another hello.
        guard let length = SecondHello.lengthOfFirst(in: client.inbox.bytes) else { return fail(.changedHello) }
        passToOrigin(Array(ByteView(client.inbox.bytes).slice(upTo: length)))
        client.inbox.consume(length)
        context.releaseClient(.undecided)
        context.release(link, .undecided)
        return Array(link.plaintext.bytes).withUnsafeBytes { look(at: $0) }
    }

    // MARK: The client

    /// Queues the client's bytes until the origin has shown its handshake.
    func clientSent(_ bytes: UnsafeRawBufferPointer) -> Transition {
        client.receive(bytes)
        context.boundInbox()
        return second == nil ? .stay : readSecondHello(bytes)
    }

    private func readSecondHello(_ bytes: UnsafeRawBufferPointer) -> Transition {
        guard let observation = second?.read(bytes) else { return .stay }
        switch observation {
        case .going: return .stay
        case .name(let name) where name == hello.hello.serverName:
            second = nil
            passToOrigin(client.takeInbox())
            context.releaseClient(.undecided)
            return look(at: UnsafeRawBufferPointer(start: nil, count: 0))
        case .name, .unreadable:
            return fail(.changedHello)
        // After the client's alert, no more of its bytes are read, and none may pass.
        case .refused: return .close(.client(.left))
        }
    }

    private func passToOrigin(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { link.send($0) }
        client.relayed.sent += Int64(bytes.count)
        if link.outbox.count > context.highWaterBytes { context.holdClient(.originFull) }
    }

    /// Drops the pending bytes, which the origin does not need without an answer, and half-closes the link.
    func clientEnded() -> Transition {
        client.hasEnded = true
        client.inbox.removeAll()
        context.effect(.finishOriginWriting(link))
        return .stay
    }

    // MARK: The origin

    func originSent(_ bytes: UnsafeRawBufferPointer, on link: OriginLink) -> Transition {
        guard link === self.link else { return .stay }
        link.plaintext.append(bytes)
        return second == nil ? look(at: bytes) : .stay
    }

    func originEnded(_ link: OriginLink, reset: Bool) -> Transition {
        guard link === self.link else { return .stay }
        if !client.hasEnded { own.ended(by: context.lost(passed, reset: reset)) }
        return .close(.settled)
    }

    private func look(at bytes: UnsafeRawBufferPointer) -> Transition {
        switch flight.read(bytes) {
        case .going: return .stay
        case .retry(let version, let suite):
            if let refusal = judge(version, suite) { return refusal }
            isBegun = true
            second = SecondHello()
            client.relayed.received += Int64(link.plaintext.count)
            client.send(link.plaintext.bytes)
            link.plaintext.removeAll()
            return Array(client.inbox.bytes).withUnsafeBytes { readSecondHello($0) }
        case .sealed(let version, let suite):
            return judge(version, suite) ?? settle(hidden: .sealed, watching: nil)
        case .shown(let version, let suite, let chain):
            return judge(version, suite, chain) ?? settle(hidden: nil, watching: SecondHandshakeWatch(isRefused: false))
        case .resumed(let version, let suite):
            return judge(version, suite) ?? settle(hidden: .resumed, watching: SecondHandshakeWatch(isRefused: false))
        case .refused(let alert):
            own.noteRefusal(alert: alert)
            return startRelay(watching: SecondHandshakeWatch(isRefused: true))
        case .unreadable: return fail(.unreadableAnswer)
        }
    }

    /// Continues after the last visible part of the handshake.
    private func settle(hidden: Finding.UnseenReason?, watching handshakes: SecondHandshakeWatch?) -> Transition {
        own.noteUnseen(hidden)
        return startRelay(watching: handshakes)
    }

    private func startRelay(watching handshakes: SecondHandshakeWatch?) -> Transition {
        .become(Relay(context, .tunnel(passed), over: link, watching: handshakes))
    }

    // MARK: Judging

    /// Judges the facts seen so far. nil if the client may continue.
    private func judge(_ version: TLSVersion, _ suite: UInt16, _ chain: [[UInt8]]? = nil) -> Transition? {
        switch own.judge(version, suite: suite, chain: chain) {
        case .passed: return nil
        case .unreadable: return fail(.unreadableAnswer)
        case .refused(let failure, let diagnosis):
            client.inbox.removeAll()
            guard !isBegun else { return cut() }
            context.drop(link)
            return client.startTLS(with: hello) ?? .become(ClientRefusal(context, in: passed, for: failure, diagnosis))
        }
    }

    /// Handles data that cannot be read, and so not judged: closes, or continues in audit mode.
    private func fail(_ finding: Finding) -> Transition {
        own.tolerates(finding) ? startRelay(watching: nil) : .close(.settled)
    }

    private func cut() -> Transition {
        LoadRecorder(context: context, tunnel: passed).fileTunnel(.close)
        return .close(.settled)
    }

    func deadlinePassed(_ deadline: Deadline) -> Transition {
        own.ended(by: RecordedDiagnosis(.unansweredHello))
        return .close(.settled)
    }

    func end(_ reason: EndReason) {
        LoadRecorder(context: context, tunnel: passed).fileTunnel()
        context.drop(link)
    }
}
