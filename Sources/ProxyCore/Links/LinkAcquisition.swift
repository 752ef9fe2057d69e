import ATSPolicy
import Bytes
import OriginHandshake
import Records
import TLSEngine

/// From a permit to a link that may carry loads: dialed or taken from the pool, shaken hands with, judged. The same for
/// a tunnel's first link, for every later one, and for judging a host that is passed through.
final class LinkAcquisition {
    enum Outcome {
        case going
        /// It may carry loads. `isNew` when it was dialed for this.
        case ready(OriginLink, isNew: Bool)
        /// The origin passed, and its connection is closed again: only the verdict was wanted.
        case judged(SecuredOrigin)
        case unreachable(NetworkFailure)
        case refused(RefusedOrigin)
        case faulted(TLSSetupError)
        /// Another law is in force by now: what the link is for has to be ruled anew.
        case outdated
    }

    /// What the link is for.
    enum Purpose {
        case loads
        /// The client's own bytes go another way; a handshake of ours only judges the origin.
        case verdict
    }

    private enum Stage {
        case idle
        case connecting
        case handshaking(OriginLink, OriginHandshake)
        /// The handshake goes on over another connection.
        case reconnecting(OriginHandshake, OriginRole)
    }

    private let context: SessionContext
    private let tunnel: Tunnel?
    /// What its origin is judged by.
    let ruled: TargetRuling
    private let dialed: ConnectPermit
    private let purpose: Purpose
    private var stage = Stage.idle

    /// - Parameters:
    ///   - ruled: what the origin is judged by, as long as its law is in force.
    ///   - dialed: where to connect; for a tunnel that was opened to an address, that address.
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

    /// A handshake is under way, or waits for its next connection.
    var isShaking: Bool {
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
        // What waits in the pool was judged for one host only.
        effect(.connect(dialed, firstRole, mayReuse: mayReuse && tunnel?.sharesLinks != false))
    }

    /// Goes on with a link at hand, as far as it is good for this; else orders another one.
    func take(_ link: OriginLink) -> Outcome {
        if link.isSecured {
            if link.isGood(for: ruled), link.key == ruled.key, context.client.suits(link), tunnel?.sharesLinks != false
            {
                return ready(link)
            }
            leave(link)
        } else if link.plaintext.isEmpty {
            link.take(ruled.key)
            return shake(OriginHandshake(question(for: link), origins: context.loop.origins), on: link)
        } else {
            // What was said before the handshake must not be read as said inside it.
            context.drop(link)
        }
        order(mayReuse: false)
        return .going
    }

    func connected(_ link: OriginLink, _ role: OriginRole) -> Outcome {
        switch stage {
        case .connecting where role == firstRole:
            guard context.isInForce(ruled) else { return outdated(link) }
            if purpose == .loads { context.met(link, in: tunnel) }
            guard ruled.target.scheme == .https else { return ready(link) }
            if link.isSecured {
                if link.isGood(for: ruled), context.client.suits(link) { return ready(link) }
                // What came out of the pool does not suit, or was judged by something else: the next one is made new.
                leave(link)
                order(mayReuse: false)
                return .going
            }
            return shake(OriginHandshake(question(for: link), origins: context.loop.origins), on: link)
        case .reconnecting(let handshake, let wanted) where role == wanted:
            guard context.isInForce(ruled) else { return outdated(link) }
            if role == .main { context.met(link, in: tunnel) }
            return shake(handshake, on: link)
        case .idle, .connecting, .handshaking, .reconnecting:
            context.giveBack(link)
            return .going
        }
    }

    func dialFailed(_ failure: NetworkFailure, _ role: OriginRole) -> Outcome {
        switch stage {
        case .connecting where role == firstRole:
            stage = .idle
            return .unreachable(failure)
        case .reconnecting(let handshake, let wanted) where role == wanted:
            guard handshake.purpose == .diagnosis else {
                stage = .idle
                return .unreachable(failure)
            }
            return settle(
                handshake.gaveUp(.closed(reset: failure != .timeout), at: context.now), of: handshake, on: nil)
        case .idle, .connecting, .handshaking, .reconnecting: return .going
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

    /// The handshake takes too long.
    func timedOut() -> Outcome {
        switch stage {
        case .idle, .connecting: return .going
        case .handshaking(let link, let handshake):
            return settle(handshake.gaveUp(.timeout, at: context.now), of: handshake, on: link)
        case .reconnecting(let handshake, _):
            effect(.abandonConnect)
            return settle(handshake.gaveUp(.timeout, at: context.now), of: handshake, on: nil)
        }
    }

    /// The link is not wanted any more.
    func cancel() {
        switch stage {
        case .idle: break
        case .connecting, .reconnecting: effect(.abandonConnect)
        case .handshaking(let link, _): context.drop(link)
        }
        stage = .idle
    }

    // MARK: The handshake

    private func shake(_ handshake: OriginHandshake, on link: OriginLink) -> Outcome {
        stage = .handshaking(link, handshake)
        context.arm(.handshake)
        return settle(
            handshake.begin(on: link.outbox, address: link.address, at: context.now), of: handshake, on: link)
    }

    private func settle(
        _ outcome: OriginHandshake.Outcome, of handshake: OriginHandshake, on link: OriginLink?
    ) -> Outcome {
        if case .going = outcome { return .going }
        guard context.isInForce(ruled) else { return outdated(link) }
        switch outcome {
        case .going: return .going
        case .reconnect(let purpose):
            if handshake.hasStumbled { context.noteStumble(in: tunnel) }
            release(link)
            let role = purpose == .diagnosis ? OriginRole.probe : firstRole
            stage = .reconnecting(handshake, role)
            context.arm(.handshake)
            effect(.connect(dialed, role, mayReuse: false))
            return .going
        case .passed(let origin): return passed(origin, on: link)
        case .refused(let origin):
            release(link)
            stage = .idle
            return .refused(origin)
        case .faulted(let error):
            release(link)
            stage = .idle
            return .faulted(error)
        }
    }

    private func passed(_ origin: SecuredOrigin, on link: OriginLink?) -> Outcome {
        guard let link, purpose == .loads else {
            release(link)
            stage = .idle
            return .judged(origin)
        }
        var diagnosis: RecordedDiagnosis?
        if origin.isDoubtful {
            link.isPrivate = true
            let meant = context.ruled(on: origin.target, like: ruled)
            diagnosis = context.diagnosis(origin.verdict, of: meant, path: "/", facts: origin.facts)
        }
        link.secure(origin, by: ruled, diagnosis: diagnosis)
        context.judged(link, in: tunnel)
        return ready(link)
    }

    private func ready(_ link: OriginLink) -> Outcome {
        stage = .idle
        return .ready(link, isNew: !link.hasRested)
    }

    /// One that was judged for another system would come out of the pool again and again.
    private func leave(_ link: OriginLink) {
        if link.ruled?.system === ruled.system { context.giveBack(link) } else { context.drop(link) }
    }

    /// What was begun under another law is of no use under this one.
    private func outdated(_ link: OriginLink?) -> Outcome {
        if let link { context.giveBack(link) }
        stage = .idle
        return .outdated
    }

    private func question(for link: OriginLink) -> OriginQuestion {
        let policy = context.loop.policy
        let isForLoads = purpose == .loads
        // No hello of ours carries a longer one (SSL_set_tlsext_host_name(3)).
        let asked = tunnel?.hello?.serverName.text.flatMap { $0.utf8.count <= Self.longestName ? $0 : nil }
        // What is passed on as it is gets the origin that its own hello gets: without a name, the default one.
        let name = asked ?? (isForLoads ? ruled.target.host : "")
        // Under another name or address the origin may have answered as another host: good for this tunnel only.
        if name.lowercased() != ruled.target.host || link.key != ruled.key { link.isPrivate = true }
        var question = OriginQuestion(
            permit: ruled.permit, serverName: name,
            alpn: isForLoads ? context.client.protocolsForOrigin : [ClientStream.http1],
            profile: ruled.system.profile, trust: policy.trust, appTrust: context.appTrust(under: ruled),
            identity: policy.identities.identity(for: ruled.target))
        question.mayResume = isForLoads && tunnel?.origin.resumes == true && !link.isPrivate
        question.isAudited = isForLoads && policy.rules.mode != .enforce
        question.isNameVerbatim = !isForLoads
        question.also = tunnel?.alsoAsked(beside: ruled, context)
        if tunnel?.sharesLinks == false { link.isPrivate = true }
        return question
    }

    /// Bytes of a server name. Source: OpenSSL, TLSEXT_MAXLEN_host_name.
    private static let longestName = 255

    private var firstRole: OriginRole { purpose == .loads ? .main : .probe }

    private func release(_ link: OriginLink?) {
        if let link { context.drop(link) }
    }

    private func effect(_ effect: SessionEffect) { context.effect(effect) }
}
