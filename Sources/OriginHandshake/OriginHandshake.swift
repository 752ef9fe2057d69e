public import ATSPolicy
public import Bytes
public import Records
public import TLSEngine

/// The handshake with one origin, from the hello to the verdict, without a socket.
///
/// It offers what the emulated device would. If it broke, another handshake offers everything: what the origin then
/// accepts shows the cause. If the hello had X25519MLKEM768, the same hello without it is tried first, because some
/// origins fail the large hello. The owner connects; each connection starts with ``begin(on:address:at:)``.
public final class OriginHandshake {
    public enum Outcome {
        case going
        /// Close the current connection and begin the diagnosis on a new one.
        case reconnect
        /// The origin may be used over this TLS.
        case passed(TLSMachine, MetOrigin)
        case refused(MetOrigin, LoadFailure)
        /// Our own TLS could not be set up; nothing was sent to the origin.
        case faulted(TLSSetupError)
    }

    private struct Attempt {
        let tls: TLSMachine
        let address: String
        let began: Int64
    }

    private enum Stage {
        case waiting
        case handshaking(Attempt)
        /// The handshake succeeded; the origin may still reject the client's certificate.
        case awaitingResult(Attempt, MetOrigin)
        case over
    }

    private let question: OriginQuestion
    private let origins: OriginTLS
    private var stage = Stage.waiting
    /// The hello of the current or the next connection.
    private var trial = HelloTrial.device
    /// The offer of the first hello, as the TLS library could send it.
    private var offered: TLSOffer
    /// The first handshake's failure and address while it is being diagnosed.
    private var broken: (failure: HandshakeFailure, address: String)?

    public init(_ question: OriginQuestion, origins: OriginTLS) {
        self.question = question
        self.origins = origins
        offered = question.offer
    }

    /// True if the connection that is needed or in use serves a further handshake, which finds the cause of a failure.
    public var isDiagnosing: Bool { broken != nil }

    /// True if the handshake passed and the origin has not yet accepted or rejected the client certificate.
    /// ``timedOut(at:)`` ends the wait, and the origin passes.
    public var isAwaitingResult: Bool {
        if case .awaitingResult = stage { true } else { false }
    }

    /// Sends the hello.
    ///
    /// - Parameter outbox: of a connection that has carried no bytes yet.
    public func begin(on outbox: ByteQueue, address: String, at now: Timestamp) -> Outcome {
        do throws(TLSSetupError) {
            let context = try origins.context(for: trial.offer(question.offer))
            if trial == .device { offered = context.sent }
            let tls = try TLSMachine.origin(
                context, serverName: question.serverName, isVerbatim: question.isNameVerbatim, alpn: question.alpn,
                identity: question.identity, outbox: outbox)
            stage = .handshaking(Attempt(tls: tls, address: address, began: now.ticks))
            tls.start()
            return .going
        } catch {
            stage = .over
            return .faulted(error)
        }
    }

    /// Reads bytes from the current connection.
    ///
    /// - Parameter plaintext: receives the data that the origin sends right after its handshake.
    public func receive(_ bytes: UnsafeRawBufferPointer, plaintext: ByteQueue, at now: Timestamp) -> Outcome {
        switch stage {
        case .waiting, .over: return .going
        case .handshaking(let attempt):
            attempt.tls.receive(bytes, plaintext: plaintext)
            return move(attempt, now)
        case .awaitingResult(let attempt, let origin):
            attempt.tls.receive(bytes, plaintext: plaintext)
            return heard(attempt, origin, now)
        }
    }

    /// Handles the end of the current connection.
    ///
    /// - Parameter reset: by RST instead of FIN.
    public func ended(reset: Bool, at now: Timestamp) -> Outcome {
        switch stage {
        case .waiting, .over: return .going
        case .handshaking(let attempt):
            attempt.tls.inputEnded(reset: reset)
            if case .failed = attempt.tls.state { return move(attempt, now) }
            return broke(.closed(reset: reset), attempt, now)
        case .awaitingResult(let attempt, let origin):
            attempt.tls.inputEnded(reset: reset)
            return heard(attempt, origin, now)
        }
    }

    /// Judges the first handshake alone: the connection for the second could not be established in time.
    public func reconnectFailed(_ failure: HandshakeFailure, at now: Timestamp) -> (MetOrigin, LoadFailure) {
        refusal(by: broken?.failure ?? failure, address: broken?.address, nil, now)
    }

    /// Ends a handshake that takes too long.
    public func timedOut(at now: Timestamp) -> Outcome {
        switch stage {
        case .handshaking(let attempt): return broke(.timeout, attempt, now)
        case .waiting: return .refused(by: reconnectFailed(.timeout, at: now))
        case .awaitingResult(let attempt, let origin):
            stage = .over
            return .passed(attempt.tls, origin)
        case .over: return .going
        }
    }

    private func move(_ attempt: Attempt, _ now: Timestamp) -> Outcome {
        switch attempt.tls.state {
        case .handshaking, .helloHeld: .going
        case .established: established(attempt, now)
        case .failed(let failure): broke(failure, attempt, now)
        case .closed: broke(.closed(reset: false), attempt, now)
        }
    }

    private func established(_ attempt: Attempt, _ now: Timestamp) -> Outcome {
        guard var facts = question.facts(of: attempt.tls, now: now.unixSeconds) else {
            return broke(.library(0), attempt, now)
        }
        if trial == .withoutHybridGroup { facts.groupLeftOut = HelloShape.hybridGroupName }
        if let broken { return diagnosed(broken.failure, by: attempt, facts, now) }
        let verdict = question.verdict(on: facts, now: now.unixSeconds)
        guard let failure = verdict.failure else { return pass(attempt, verdict, facts, now) }
        if question.isAudited { return pass(attempt, verdict, facts, now) }
        return refuse(failure, verdict, recorded(attempt.address, facts), attempt, now)
    }

    /// Checks the first bytes after the handshake: tickets, data, or a rejection of the client.
    private func heard(_ attempt: Attempt, _ origin: MetOrigin, _ now: Timestamp) -> Outcome {
        switch attempt.tls.state {
        case .handshaking, .helloHeld, .established: break
        case .failed(let failure):
            if let refusal = turnedDown(failure, attempt, now) { return refusal }
        case .closed:
            if let refusal = turnedDown(.closed(reset: false), attempt, now) { return refusal }
        }
        stage = .over
        return .passed(attempt.tls, origin)
    }

    /// The refusal by an origin that requested a certificate and then closed the connection; nil for any other end.
    private func turnedDown(_ failure: HandshakeFailure, _ attempt: Attempt, _ now: Timestamp) -> Outcome? {
        guard let end = LostConnection.End(failure), let facts = question.facts(of: attempt.tls, now: now.unixSeconds),
            let use = facts.clientCertificate
        else { return nil }
        let lost = LostConnection(end, clientCertificate: use, answerBegan: false)
        // The first handshake's failure has priority: a device would never get past it.
        let verdict =
            broken.map { question.verdict(on: $0.failure, facts: facts, now: now.unixSeconds) }
            ?? question.verdict(on: lost, after: facts, now: now.unixSeconds)
        let first = broken?.failure ?? failure
        return refuse(
            verdict.failure ?? .lost(lost), verdict, recorded(attempt.address, facts, first), attempt, now)
    }

    private func broke(_ failure: HandshakeFailure, _ attempt: Attempt, _ now: Timestamp) -> Outcome {
        if let refusal = turnedDown(failure, attempt, now) { return refusal }
        let first = broken ?? (failure, attempt.address)
        guard let next = trial.next(after: first.failure, of: offered) else {
            return .refused(by: refusal(by: first.failure, address: first.address, attempt, now))
        }
        broken = first
        trial = next
        stage = .waiting
        return .reconnect
    }

    /// Judges the first failure by what the origin accepted of another hello.
    private func diagnosed(
        _ first: HandshakeFailure, by attempt: Attempt, _ facts: HandshakeFacts, _ now: Timestamp
    ) -> Outcome {
        let verdict = question.verdict(on: first, facts: facts, now: now.unixSeconds)
        if question.isAudited { return pass(attempt, verdict, facts, now) }
        // A device that repeats the handshake without the group gets past it.
        if verdict.failure == nil, facts.groupLeftOut != nil { return pass(attempt, verdict, facts, now) }
        let failure = verdict.failure ?? .handshake(first, rule: verdict.rule)
        return refuse(failure, verdict, recorded(attempt.address, facts, first), attempt, now)
    }

    /// Judges the failure without further facts.
    private func refusal(
        by failure: HandshakeFailure, address: String?, _ attempt: Attempt?, _ now: Timestamp
    ) -> (MetOrigin, LoadFailure) {
        let verdict = question.verdict(on: failure, facts: nil, now: now.unixSeconds)
        return refusal(
            verdict.failure ?? .handshake(failure, rule: verdict.rule), verdict,
            recorded(attempt?.address ?? address, nil, failure), attempt, now)
    }

    /// The origin's record, complete enough to judge it again.
    private func recorded(
        _ address: String?, _ facts: HandshakeFacts?, _ failure: HandshakeFailure? = nil
    ) -> RecordedOrigin {
        RecordedOrigin(address: address, facts: facts, failure: failure, offer: offered)
    }

    private func pass(
        _ attempt: Attempt, _ verdict: HandshakeVerdict, _ facts: HandshakeFacts, _ now: Timestamp
    ) -> Outcome {
        let origin = MetOrigin(
            recorded(attempt.address, facts, broken?.failure), verdict, failure: nil, offered: question.alpn,
            handshakeTicks: now.ticks - attempt.began, neededMore: broken != nil)
        if question.awaitsClientCertificateResult, facts.version >= .tls13, facts.clientCertificate != nil {
            stage = .awaitingResult(attempt, origin)
            return .going
        }
        stage = .over
        return .passed(attempt.tls, origin)
    }

    private func refuse(
        _ failure: LoadFailure, _ verdict: HandshakeVerdict, _ origin: RecordedOrigin, _ attempt: Attempt,
        _ now: Timestamp
    ) -> Outcome {
        .refused(by: refusal(failure, verdict, origin, attempt, now))
    }

    private func refusal(
        _ failure: LoadFailure, _ verdict: HandshakeVerdict, _ origin: RecordedOrigin, _ attempt: Attempt?,
        _ now: Timestamp
    ) -> (MetOrigin, LoadFailure) {
        stage = .over
        let met = MetOrigin(origin, verdict, failure: failure, handshakeTicks: attempt.map { now.ticks - $0.began })
        return (met, failure)
    }
}

extension OriginHandshake.Outcome {
    fileprivate static func refused(by refusal: (MetOrigin, LoadFailure)) -> Self { .refused(refusal.0, refusal.1) }
}

extension LostConnection.End {
    /// nil for failures of the handshake itself.
    fileprivate init?(_ failure: HandshakeFailure) {
        switch failure {
        case .alertReceived(let alert): self = .alert(alert)
        case .closed(let reset): self = reset ? .reset : .closed
        case .versionNotOffered, .suiteNotOffered, .nothingToOffer, .notTLS, .timeout, .chainTooLarge, .library:
            return nil
        }
    }
}

/// The TLS contexts for origins of one event loop. Each offer has its own.
public final class OriginTLS {
    private let keyLog: KeyLog?
    private var contexts: [TLSOffer: OriginTLSContext] = [:]

    /// - Parameter keyLog: receives the secrets of origin connections.
    public init(keyLog: KeyLog? = nil) {
        self.keyLog = keyLog
    }

    /// The OpenSSL context for an offer. Contexts are cached: making one costs far more than a connection.
    func context(for offer: TLSOffer) throws(TLSSetupError) -> OriginTLSContext {
        if let known = contexts[offer] { return known }
        let made = try OriginTLSContext(offer: offer, keyLog: keyLog)
        contexts[offer] = made
        return made
    }
}

/// The offer of a handshake, and the rules that judge its result.
public struct OriginQuestion {
    /// Offer, demands and basis of the ruling.
    public var permit: ConnectPermit
    /// Sent as SNI unless it is an address; empty sends no SNI.
    public var serverName: String
    /// Sends the server name byte for byte, even if it is not a valid host name.
    public var isNameVerbatim = false
    /// Protocols in order of preference; empty offers none.
    public var alpn: [String]
    public var profile: OSProfile
    public var trust: TrustStore
    public var appTrust: AppTrust
    /// Recognizes a proxy that answers instead of the origin; nil judges each certificate as the origin's.
    public var proxies: ProxyWatch?
    /// The handling of such an origin.
    public var decrypted = DecryptedOrigins.infer
    /// The certificate for origins that request one.
    public var identity: ClientIdentity?
    /// Audit mode: an origin that a device would refuse passes, together with the verdict.
    public var isAudited = false
    /// Waits for the origin's first bytes after a TLS 1.3 handshake with a certificate request: only they show whether
    /// it accepts the client's certificate (RFC 8446 section 4.4.2.4). A load would show it anyway.
    public var awaitsClientCertificateResult = false

    public init(
        permit: ConnectPermit, serverName: String, alpn: [String], profile: OSProfile, trust: TrustStore,
        appTrust: AppTrust = .systemOnly, identity: ClientIdentity? = nil
    ) {
        self.permit = permit
        self.serverName = serverName
        self.alpn = alpn
        self.profile = profile
        self.trust = trust
        self.appTrust = appTrust
        self.identity = identity
    }

    /// The emulated device's offer, or the diagnostic offer if it has none.
    public var offer: TLSOffer { permit.offer ?? .diagnostic }

    /// Returns the system's verdict on a finished handshake, as changed by the app's own trust code.
    public func verdict(on facts: HandshakeFacts, now: Int64) -> HandshakeVerdict {
        let handshake = handshakeCase(facts, now: now)
        return unlessDecrypted(facts, appTrust.judge(RuleBook.standard.judge(handshake), of: handshake))
    }

    /// Returns the verdict on an origin that ended the connection after its certificate request was answered.
    func verdict(on lost: LostConnection, after facts: HandshakeFacts, now: Int64) -> HandshakeVerdict {
        RuleBook.standard.judge(lost, by: permit.target.host, after: verdict(on: facts, now: now))
    }

    /// Returns the verdict on a broken handshake. `facts` has what the origin accepted in the diagnosis, if anything.
    func verdict(on failure: HandshakeFailure, facts: HandshakeFacts?, now: Int64) -> HandshakeVerdict {
        let verdict = RuleBook.standard.judge(
            failure, diagnosis: facts.map { handshakeCase($0, now: now) }, target: permit.target,
            basis: permit.basis, demands: permit.demands, offer: offer, profile: profile)
        return facts.map { unlessDecrypted($0, verdict) } ?? verdict
    }

    /// The verdict, unless a proxy hides the origin.
    private func unlessDecrypted(_ facts: HandshakeFacts, _ verdict: HandshakeVerdict) -> HandshakeVerdict {
        guard let proxy = proxies?.proxy(in: facts, of: permit.target.host, decrypted) else { return verdict }
        return .decrypted(by: proxy, judged: verdict)
    }

    /// The handshake's facts, with its certificate's names checked for the judged host and the name sent, and with the
    /// path that the device would use.
    func facts(of tls: TLSMachine, now: Int64) -> HandshakeFacts? {
        let facts = tls.facts(trust: trust, for: [permit.target.host, serverName])
        guard let facts, !facts.otherPaths.isEmpty else { return facts }
        return handshakeCase(facts, now: now).facts
    }

    private func handshakeCase(_ facts: HandshakeFacts, now: Int64) -> HandshakeCase {
        HandshakeCase(
            facts: facts, host: permit.target.host, demands: permit.demands, profile: profile, now: now,
            basis: permit.basis)
    }
}
