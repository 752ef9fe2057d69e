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
    private let permit: ConnectPermit
    private let dialed: ConnectPermit
    private let purpose: Purpose
    private var stage = Stage.idle

    /// - Parameters:
    ///   - permit: whose demands the origin is held against.
    ///   - dialed: where to connect; for a tunnel that was opened to an address, that address.
    init(
        _ context: SessionContext, in tunnel: Tunnel?, under permit: ConnectPermit, dialing dialed: ConnectPermit,
        for purpose: Purpose = .loads
    ) {
        self.context = context
        self.tunnel = tunnel
        self.permit = permit
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
        effect(.connect(dialed, firstRole, mayReuse: mayReuse))
    }

    /// Goes on with a link at hand, as far as it is good for this; else orders another one.
    func take(_ link: OriginLink) -> Outcome {
        if link.isSecured {
            if link.isSecured(under: context.system), link.key == OriginLink.Key(permit), context.client.suits(link) {
                return ready(link)
            }
            context.giveBack(link)
        } else if link.plaintext.isEmpty {
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
            if purpose == .loads { tunnel?.met(link) }
            guard permit.target.scheme == .https else { return ready(link) }
            if link.isSecured {
                if link.isSecured(under: context.system), context.client.suits(link) { return ready(link) }
                // What came out of the pool does not suit, or was judged under another law: the next one is made new.
                context.giveBack(link)
                order(mayReuse: false)
                return .going
            }
            return shake(OriginHandshake(question(for: link), origins: context.loop.origins), on: link)
        case .reconnecting(let handshake, let wanted) where role == wanted:
            if role == .main { tunnel?.met(link) }
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
        switch outcome {
        case .going: return .going
        case .reconnect(let purpose):
            if handshake.hasStumbled { tunnel?.resumes = false }
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
        link.secure(origin, under: context.system)
        var diagnosis: DiagnosisCard?
        if origin.isDoubtful {
            link.isPrivate = true
            diagnosis = context.diagnosis(
                origin.verdict, target: permit.target, path: "/", facts: origin.facts)
        }
        tunnel?.secured(by: link, diagnosis: diagnosis)
        return ready(link)
    }

    private func ready(_ link: OriginLink) -> Outcome {
        stage = .idle
        return .ready(link, isNew: !link.hasRested)
    }

    private func question(for link: OriginLink) -> OriginQuestion {
        let policy = context.loop.policy
        let name = context.client.tls?.clientHello?.serverName ?? permit.target.host
        // Under another name or address the origin may have answered as another host: good for this tunnel only.
        if name.lowercased() != permit.target.host || link.key != OriginLink.Key(permit) { link.isPrivate = true }
        let isForLoads = purpose == .loads
        return OriginQuestion(
            permit: permit, serverName: name,
            alpn: isForLoads ? context.client.protocolsForOrigin : [ClientStream.http1],
            profile: context.system.profile, trust: policy.trust, appTrust: policy.appTrust,
            identity: policy.identities.identity(for: permit.target),
            mayResume: isForLoads && tunnel?.resumes == true && !link.isPrivate,
            isAudited: isForLoads && policy.mode == .audit)
    }

    private var firstRole: OriginRole { purpose == .loads ? .main : .probe }

    private func release(_ link: OriginLink?) {
        if let link { context.drop(link) }
    }

    private func effect(_ effect: SessionEffect) { context.effect(effect) }
}
