import ATSPolicy
import Bytes
import OriginHandshake
import Records
import TLSEngine

/// A host that is passed through has passed by a handshake of the gate's own. The client's own is read in passing, as far
/// as it is in the clear, and held against the same law before the client hears a word of it.
final class PassedHandshake: SessionMachine {
    let context: SessionContext
    private let passed: Tunnel
    /// The client's, held: for a refusal.
    private let hello: TLSMachine
    private let link: OriginLink
    private var flight = OriginFlight()
    /// After a HelloRetryRequest, until the client has said hello again.
    private var second: SecondHello?
    /// The client has heard the origin: no other words can take the place of its.
    private var isBegun = false

    init(_ context: SessionContext, in tunnel: Tunnel, hello: TLSMachine, over link: OriginLink) {
        self.context = context
        passed = tunnel
        self.hello = hello
        self.link = link
    }

    var tunnel: Tunnel? { passed }
    private var client: ClientStream { context.client }

    func begin() -> Transition {
        context.arm(.handshake)
        passToOrigin(client.takeInbox())
        context.releaseClient(.undecided)
        context.release(link, .undecided)
        return Array(link.plaintext.bytes).withUnsafeBytes { look(at: $0) }
    }

    // MARK: The client

    /// What it says before the origin has shown itself waits.
    func clientSent(_ bytes: UnsafeRawBufferPointer) -> Transition {
        client.receive(bytes)
        if client.inbox.count > context.highWaterBytes { context.holdClient(.undecided) }
        return second == nil ? .stay : hearAgain(bytes)
    }

    private func hearAgain(_ bytes: UnsafeRawBufferPointer) -> Transition {
        guard let sight = second?.read(bytes) else { return .stay }
        switch sight {
        case .going: return .stay
        case .name(let name) where name == hello.clientHello?.serverName:
            second = nil
            passToOrigin(client.takeInbox())
            context.releaseClient(.undecided)
            return look(at: UnsafeRawBufferPointer(start: nil, count: 0))
        case .name, .unreadable:
            return fail(.changedHello)
        case .refused: return .become(Relay(context, .tunnel(passed), over: link))
        }
    }

    private func passToOrigin(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { link.send($0) }
        passed.bytesSent += Int64(bytes.count)
        if link.outbox.count > context.highWaterBytes { context.holdClient(.originFull) }
    }

    func originDrained(_ link: OriginLink) -> Transition {
        if link === self.link { context.releaseClient(.originFull) }
        return .stay
    }

    /// Whatever it has not seen an answer to is of no use to its origin.
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
        if !client.hasEnded { passed.fail(context.lost(passed, reset: reset)) }
        return .close(.settled)
    }

    private func look(at bytes: UnsafeRawBufferPointer) -> Transition {
        switch flight.read(bytes) {
        case .going: return .stay
        case .retry(let version, let suite):
            if let refusal = judge(Shown(version, hello.suite(suite))) { return refusal }
            isBegun = true
            second = SecondHello()
            passed.bytesReceived += Int64(link.plaintext.count)
            client.send(link.plaintext.bytes)
            link.plaintext.removeAll()
            return Array(client.inbox.bytes).withUnsafeBytes { hearAgain($0) }
        case .sealed(let version, let suite):
            return settle(Shown(version, hello.suite(suite)), hidden: .sealed)
        case .shown(let version, let suite, let chain):
            return settle(Shown(version, hello.suite(suite), chain), hidden: nil)
        case .resumed(let version, let suite):
            return settle(Shown(version, hello.suite(suite)), hidden: .resumed)
        case .refused(let alert):
            passed.fail(DiagnosisCard(.refusedHello(alert: alert)))
            return goOn()
        case .unreadable: return fail(.unreadableAnswer)
        }
    }

    /// Nothing more is to be seen.
    private func settle(_ shown: Shown, hidden: Finding.Hidden?) -> Transition {
        if let refusal = judge(shown) { return refusal }
        let isEncrypted = hello.clientHello?.isEncrypted == true
        if hidden != nil || isEncrypted {
            passed.add(DiagnosisCard(.unseen(hidden, in: passed.target.host, isHelloEncrypted: isEncrypted)))
        }
        return goOn()
    }

    private func goOn() -> Transition { .become(Relay(context, .tunnel(passed), over: link)) }

    // MARK: The law

    /// What the client's own handshake showed.
    private struct Shown {
        let version: TLSVersion
        let suite: CipherSuite
        /// nil where none was shown.
        let chain: [[UInt8]]?

        init(_ version: TLSVersion, _ suite: CipherSuite, _ chain: [[UInt8]]? = nil) {
            self.version = version
            self.suite = suite
            self.chain = chain
        }
    }

    /// Holds what was shown against the law in force. nil where the client may go on.
    private func judge(_ shown: Shown) -> Transition? {
        let known = passed.card?.facts
        // What was not shown is as the gate's own handshake had it; without one there is nothing to judge by.
        guard known != nil || shown.chain != nil else { return nil }
        let isJudged = context.isInForce(passed.ruled)
        context.renew(passed)
        var facts = HandshakeFacts(
            version: shown.version, suite: shown.suite, group: nil, alpn: nil, served: known?.served ?? [],
            path: known?.path ?? [], anchor: known?.anchor ?? .broken, scts: known?.scts ?? SCTCounts())
        facts.sctReview = known?.sctReview
        facts.staple = known?.staple
        facts.unkeptCertificates = known?.unkeptCertificates
        let hosts = [passed.target.host] + (passed.alsoNamed.map { [$0.host] } ?? [])
        if let chain = shown.chain, !context.loop.policy.trust.put(chain, into: &facts, for: hosts) {
            return fail(.unreadableAnswer)
        }
        let isSame =
            known?.version == facts.version && known?.suite == facts.suite
            && known?.hasServed(facts.served) == true
        if isSame, isJudged { return nil }
        return hold(facts, isSame ? nil : known.map { Finding.ownHandshake(facts, judged: $0) })
    }

    private func hold(_ facts: HandshakeFacts, _ difference: Finding?) -> Transition? {
        let also = passed.alsoNamed.map { context.ruled(on: $0, like: passed.ruled) }
        let question = context.question(by: passed.ruled, also)
        let verdict = question.verdict(on: facts, now: context.now.unixSeconds)
        let card = OriginCard(address: passed.card?.address, facts: facts, offer: question.offer)
        if let difference { passed.add(DiagnosisCard(difference)) }
        guard let failure = verdict.law.failure else {
            passed.judged(card, remark: nil, handshakeTicks: nil, diagnosis: passed.diagnosis)
            return nil
        }
        context.blame(verdict.target, in: passed)
        let diagnosis = context.diagnosis(verdict.law, of: passed.ruled, path: "/", facts: facts)
        passed.judged(card, remark: nil, handshakeTicks: nil, diagnosis: diagnosis)
        guard context.loop.policy.mode == .enforce, !passed.ruled.isOutside else { return nil }
        passed.refuse(failure, diagnosis)
        client.inbox.removeAll()
        guard !isBegun else { return cut() }
        context.drop(link)
        client.tls = hello
        return .become(ClientRefusal(context, in: passed, for: failure, diagnosis))
    }

    /// What can not be read can not be judged: it ends here, or in audit mode is told.
    private func fail(_ finding: Finding) -> Transition {
        guard context.loop.policy.mode == .enforce else {
            passed.add(DiagnosisCard(finding))
            return goOn()
        }
        passed.fail(DiagnosisCard(finding))
        return .close(.settled)
    }

    private func cut() -> Transition {
        LoadRecorder(context: context, tunnel: passed).fileTunnel(.close)
        return .close(.settled)
    }

    func deadlinePassed(_ deadline: Deadline) -> Transition {
        passed.fail(DiagnosisCard(.unansweredHello))
        return .close(.settled)
    }

    func end(_ reason: EndReason) {
        LoadRecorder(context: context, tunnel: passed).fileTunnel()
        context.drop(link)
    }
}
