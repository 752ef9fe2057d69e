import ATSPolicy
import Bytes
import HTTP2Engine
import OriginHandshake
import Records
import TLSEngine

/// Gets a link that may carry loads: dials or takes one from the pool, shakes hands, judges the origin. Used for a
/// tunnel's first link, for every later link, and to judge a host that is passed through.
final class LinkAcquisition {
    enum Outcome {
        case going
        /// The origin passed, and the link may carry loads.
        case ready(OriginLink)
        case unreachable(NetworkFailure)
        case refused(MetOrigin, LoadFailure)
        case faulted(GateFault)
        /// The policy has changed; the load must be ruled on again.
        case outdated
    }

    /// The use of the link.
    enum Purpose {
        case loads
        /// Only judges the origin; the client's own bytes use another connection.
        case verdict
    }

    private enum Stage {
        case idle
        case connecting
        case handshaking(OriginLink, OriginHandshake)
        /// The handshake continues over another connection.
        case reconnecting(OriginHandshake)
    }

    private let context: SessionContext
    private let tunnel: Tunnel?
    /// The ruling that its origin is judged by.
    let ruled: TargetRuling
    private let dialed: ConnectPermit
    private let purpose: Purpose
    private var stage = Stage.idle

    /// - Parameters:
    ///   - ruled: the ruling to judge the origin by, while its policy is in force.
    ///   - dialed: the target to connect to; for a tunnel that was opened to an address, that address.
    init(
        _ context: SessionContext, in tunnel: Tunnel?, under ruled: TargetRuling, dialing dialed: ConnectPermit,
        for purpose: Purpose = .loads
    ) {
        self.context = context
        self.tunnel = tunnel
        self.ruled = ruled
        self.dialed = dialed
        self.purpose = purpose
    }

    /// True if a handshake is under way, or waits for its next connection.
    var isHandshaking: Bool {
        switch stage {
        case .idle, .connecting: false
        case .handshaking, .reconnecting: true
        }
    }

    func owns(_ link: OriginLink) -> Bool {
        if case .handshaking(let own, _) = stage { own === link } else { false }
    }

    /// Orders a connection.
    func order(mayReuse: Bool) {
        stage = .connecting
        effect(.connect(dialed, mayReuse: mayReuse))
    }

    /// Continues with an existing link if it suits; otherwise orders another one.
    func reuse(_ link: OriginLink) -> Outcome {
        if link.isSecured {
            if link.isGood(for: ruled), link.key == ruled.key, context.client.suits(link) { return ready(link) }
            leave(link)
        } else if link.plaintext.isEmpty {
            link.rekey(ruled.key)
            return runHandshake(OriginHandshake(question(for: link), origins: context.loop.origins), on: link)
        } else {
            // Bytes sent before the handshake must not be read as protected by it.
            context.drop(link)
        }
        order(mayReuse: false)
        return .going
    }

    func connected(_ link: OriginLink) -> Outcome {
        switch stage {
        case .connecting:
            guard context.isInForce(ruled) else { return outdated(link) }
            if purpose == .loads { tunnel?.linkConnected(link) }
            guard ruled.target.scheme == .https else { return ready(link) }
            if link.isSecured {
                if link.isGood(for: ruled), context.client.suits(link) { return ready(link) }
                // The link from the pool does not suit, or was judged by another ruling: dial a new one.
                leave(link)
                order(mayReuse: false)
                return .going
            }
            return runHandshake(OriginHandshake(question(for: link), origins: context.loop.origins), on: link)
        case .reconnecting(let handshake):
            guard context.isInForce(ruled) else { return outdated(link) }
            return runHandshake(handshake, on: link)
        case .idle, .handshaking:
            context.giveBack(link)
            return .going
        }
    }

    func dialFailed(_ failure: NetworkFailure) -> Outcome {
        switch stage {
        case .connecting:
            stage = .idle
            return .unreachable(failure)
        case .reconnecting(let handshake):
            return reconnectFailed(handshake, .closed(reset: failure != .timeout))
        case .idle, .handshaking: return .going
        }
    }

    func originSent(_ bytes: UnsafeRawBufferPointer, on link: OriginLink) -> Outcome {
        guard case .handshaking(let own, let handshake) = stage, own === link else { return .going }
        return settle(
            handshake.receive(bytes, plaintext: link.plaintext, at: context.now), of: handshake, on: link)
    }

    func originEnded(_ link: OriginLink, reset: Bool) -> Outcome {
        guard case .handshaking(let own, let handshake) = stage, own === link else { return .going }
        return settle(handshake.ended(reset: reset, at: context.now), of: handshake, on: link)
    }

    /// Ends a handshake that takes too long.
    func timedOut() -> Outcome {
        switch stage {
        case .idle, .connecting: return .going
        case .handshaking(let link, let handshake):
            return settle(handshake.timedOut(at: context.now), of: handshake, on: link)
        case .reconnecting(let handshake):
            effect(.abandonConnect)
            return reconnectFailed(handshake, .timeout)
        }
    }

    /// Stops: the link is no longer needed.
    func cancel() {
        switch stage {
        case .idle: break
        case .connecting, .reconnecting: effect(.abandonConnect)
        case .handshaking(let link, _): context.drop(link)
        }
        stage = .idle
    }

    // MARK: The handshake

    private func runHandshake(_ handshake: OriginHandshake, on link: OriginLink) -> Outcome {
        stage = .handshaking(link, handshake)
        context.arm(.handshake)
        return settle(
            handshake.begin(on: link.outbox, address: link.address, at: context.now), of: handshake, on: link)
    }

    private func settle(
        _ outcome: OriginHandshake.Outcome, of handshake: OriginHandshake, on link: OriginLink
    ) -> Outcome {
        if case .going = outcome { return .going }
        guard context.isInForce(ruled) else { return outdated(link) }
        switch outcome {
        case .going: return .going
        case .reconnect:
            context.drop(link)
            stage = .reconnecting(handshake)
            context.arm(.handshake)
            effect(.connect(dialed, mayReuse: false))
            return .going
        case .passed(let tls, let origin): return passed(origin, over: tls, on: link)
        case .refused(let origin, let failure):
            context.drop(link)
            stage = .idle
            return .refused(origin, failure)
        case .faulted(let error):
            context.drop(link)
            stage = .idle
            return .faulted(.tls(error))
        }
    }

    /// Ends a second handshake that got no connection.
    private func reconnectFailed(_ handshake: OriginHandshake, _ failure: HandshakeFailure) -> Outcome {
        guard context.isInForce(ruled) else { return outdated(nil) }
        stage = .idle
        let (origin, failure) = handshake.reconnectFailed(failure, at: context.now)
        return .refused(origin, failure)
    }

    private func passed(_ origin: MetOrigin, over tls: TLSMachine, on link: OriginLink) -> Outcome {
        if origin.isDoubtful { link.isPrivate = true }
        do throws(HTTP2Failure) {
            try link.secure(origin, over: tls, by: ruled)
        } catch {
            context.drop(link)
            stage = .idle
            return .faulted(.http2(error))
        }
        if purpose == .loads { tunnel?.note(origin) }
        return ready(link)
    }

    private func ready(_ link: OriginLink) -> Outcome {
        stage = .idle
        return .ready(link)
    }

    /// Drops a link that was judged for another release: the pool would return it again and again.
    private func leave(_ link: OriginLink) {
        if link.ruled?.system === ruled.system { context.giveBack(link) } else { context.drop(link) }
    }

    /// Stops because the policy changed: the link was ordered under the previous one.
    private func outdated(_ link: OriginLink?) -> Outcome {
        if let link { context.giveBack(link) }
        stage = .idle
        return .outdated
    }

    private func question(for link: OriginLink) -> OriginQuestion {
        let policy = context.loop.policy
        let isForLoads = purpose == .loads
        // The hello cannot carry a longer name (SSL_set_tlsext_host_name(3)).
        let asked = tunnel?.hello?.serverName.text.flatMap { $0.utf8.count <= Self.longestName ? $0 : nil }
        // A host that is passed through gets the client's own server name; without one, the origin's default host
        // answers.
        let name = asked ?? (isForLoads ? ruled.target.host : "")
        // With another name or address the origin may have answered as another host: only for this tunnel.
        if name.lowercased() != ruled.target.host || link.key != ruled.key { link.isPrivate = true }
        var question = OriginQuestion(
            permit: ruled.permit, serverName: name,
            alpn: isForLoads ? context.client.protocolsForOrigin : [ClientStream.http1],
            profile: ruled.system.profile, trust: policy.trust, appTrust: context.appTrust(under: ruled),
            identity: policy.identities.identity(for: ruled.target))
        question.proxies = context.loop.proxies
        question.decrypted = policy.rules.decrypted
        question.isAudited = isForLoads && policy.rules.mode != .enforce
        question.isNameVerbatim = !isForLoads
        return question
    }

    /// Bytes of a server name. Source: OpenSSL, TLSEXT_MAXLEN_host_name.
    private static let longestName = 255

    private func effect(_ effect: SessionEffect) { context.effect(effect) }
}

extension SessionContext {
    /// The question for judging facts of a handshake that has already happened.
    func question(by ruled: TargetRuling) -> OriginQuestion {
        var question = OriginQuestion(
            permit: ruled.permit, serverName: ruled.target.host, alpn: [], profile: ruled.system.profile,
            trust: loop.policy.trust, appTrust: appTrust(under: ruled))
        question.proxies = loop.proxies
        question.decrypted = loop.policy.rules.decrypted
        return question
    }
}

/// Errors of origins after their handshake, with the error that a device would report.
extension SessionContext {
    /// Describes an origin whose connection ended before its response was complete.
    func lost(_ load: Load, on link: OriginLink?, reset: Bool) -> ErrorAnswer {
        let alert = link?.tls?.alertReceived
        let finding: Finding =
            alert.map { .originAlert($0, after: load.bytesReceived) }
            ?? .originCut(after: load.bytesReceived, reset: reset)
        let lost = LostConnection(
            alert.map { .alert($0) } ?? (reset ? .reset : .closed),
            clientCertificate: link?.met.facts?.clientCertificate, answerBegan: load.status != nil)
        return ErrorAnswer(502, "The server closed the connection", diagnosis(finding, .lost(lost), of: load, on: link))
    }

    /// Describes an origin that reset only the load's stream.
    func reset(_ load: Load, code: UInt32, on link: OriginLink) -> RecordedDiagnosis {
        diagnosis(
            .streamReset(code: code), .lost(LostConnection(.reset, answerBegan: load.status != nil)), of: load, on: link
        )
    }

    /// Describes an origin whose response is not valid HTTP.
    func malformed(_ finding: Finding, _ load: Load, on link: OriginLink?) -> ErrorAnswer {
        ErrorAnswer(502, finding.title, diagnosis(finding, .malformedAnswer, of: load, on: link))
    }

    /// Describes an origin that closed its connection before the tunnel carried any data.
    func lost(_ tunnel: Tunnel, reset: Bool) -> RecordedDiagnosis {
        let finding = Finding.originCut(after: client.relayed.received, reset: reset)
        let lost = LostConnection(reset ? .reset : .closed, answerBegan: false)
        return diagnosis(
            HandshakeVerdict(findings: [finding], failure: .lost(lost), remedy: nil), of: tunnel.ruled, path: "/")
    }

    private func diagnosis(
        _ finding: Finding, _ failure: LoadFailure, of load: Load, on link: OriginLink?
    ) -> RecordedDiagnosis {
        diagnosis(
            HandshakeVerdict(findings: [finding], failure: failure, remedy: nil), of: load.ruled,
            path: load.pathText, facts: link?.met.facts)
    }
}
