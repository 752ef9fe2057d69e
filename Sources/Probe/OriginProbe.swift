import ATSPolicy
import Bytes
import Dialing
import Foundation
import NetLoop
import OriginHandshake
import Records
import Text

/// One probe of one origin, from the dial to the verdict, with the gate's own handshake machine. Lives on a loop;
/// retained by its pending callbacks.
final class OriginProbe {
    private let order: ProbeOrder
    private let settings: ProbeSettings
    private let dialer: Dialer
    private let handshake: OriginHandshake
    private var completion: ((ProbeAnswer) -> Void)?
    private var dial: OriginDial?
    private var stream: ByteStream?
    private var timer: LoopTimer?
    private var connectTicks: Int64?
    private let plaintext = ByteQueue()
    private var isAwaitingResult = false
    private var wasSilent = false

    /// - Parameter completion: called once, on the loop.
    init(
        _ order: ProbeOrder, _ settings: ProbeSettings, dialer: Dialer, origins: OriginTLS,
        completion: @escaping (ProbeAnswer) -> Void
    ) {
        self.order = order
        self.settings = settings
        self.dialer = dialer
        self.completion = completion
        let target = order.permit.target
        var question = OriginQuestion(
            permit: order.permit, serverName: order.namesHost ? target.host : "", alpn: ["h2", "http/1.1"],
            profile: order.profile, trust: settings.trust, appTrust: settings.appTrust,
            identity: settings.identity(target))
        question.awaitsClientCertificateResult = true
        question.proxies = settings.proxies
        question.decrypted = settings.decrypted
        handshake = OriginHandshake(question, origins: origins)
    }

    func connect(on loop: isolated EventLoop) {
        let dial = OriginDial(order.plan, timeout: order.timeLeft(settings.timeout)) { self.dialed($0, on: loop) }
        self.dial = dial
        dial.begin(with: dialer, .none, on: loop)
    }

    private func dialed(_ result: Result<OriginSocket, NetworkFailure>, on loop: isolated EventLoop) {
        dial = nil
        switch result {
        case .failure(let failure):
            guard handshake.isDiagnosing else {
                return finish(
                    .unreachable(failure), RuleBook.standard.judge(failure, target: order.permit.target),
                    origin: order.plan.address.map { RecordedOrigin(address: $0, facts: nil) }, on: loop)
            }
            let (origin, failure) = handshake.reconnectFailed(
                .closed(reset: failure != .timeout), at: moment(on: loop))
            settle(.refused(origin, failure), on: loop)
        case .success(let socket): connected(socket, on: loop)
        }
    }

    private func connected(_ socket: OriginSocket, on loop: isolated EventLoop) {
        connectTicks = connectTicks ?? socket.microseconds
        stream = socket.stream
        guard order.permit.target.scheme == .https else {
            let origin = RecordedOrigin(address: socket.address, facts: nil)
            return finish(.passed, RuleBook.noFindings, origin: origin, on: loop)
        }
        socket.stream.handler = self
        if socket.early == nil {
            do {
                try socket.stream.attach(to: loop)
            } catch {
                let failure = NetworkFailure.noDescriptors
                return finish(
                    .unreachable(failure), RuleBook.standard.judge(failure, target: order.permit.target), on: loop)
            }
        }
        wait(settings.timeout, on: loop)
        settle(
            handshake.begin(on: socket.stream.outbox, address: socket.address, at: moment(on: loop)), on: loop)
        guard let early = socket.early, !early.isEmpty, stream != nil else { return }
        early.withUnsafeBytes { receive($0, on: loop) }
    }

    private func wait(_ limit: Duration, on loop: isolated EventLoop) {
        let timer = LoopTimer { [weak self] in
            guard let self else { return }
            wasSilent = handshake.isAwaitingResult
            settle(handshake.timedOut(at: moment(on: loop)), on: loop)
        }
        timer.arm(after: order.timeLeft(limit), on: loop)
        self.timer = timer
    }

    private func receive(_ bytes: UnsafeRawBufferPointer, on loop: isolated EventLoop) {
        settle(handshake.receive(bytes, plaintext: plaintext, at: moment(on: loop)), on: loop)
    }

    private func settle(_ outcome: OriginHandshake.Outcome, on loop: isolated EventLoop) {
        switch outcome {
        case .going:
            stream?.flush(on: loop)
            if handshake.isAwaitingResult, !isAwaitingResult {
                isAwaitingResult = true
                wait(min(settings.timeout, Self.finalMessagesTimeout), on: loop)
            }
        case .reconnect:
            hangUp(on: loop)
            connect(on: loop)
        case .passed(_, let origin):
            finish(
                origin.verdict.isDecrypted ? .decrypted : .passed, origin.verdict, origin: origin.recorded,
                handshakeTicks: origin.handshakeTicks, on: loop)
        case .refused(let origin, let failure):
            finish(
                origin.verdict.isDecrypted ? .decrypted : .refused(failure), origin.verdict, origin: origin.recorded,
                handshakeTicks: origin.handshakeTicks,
                on: loop)
        case .faulted(let error): finish(.faulted(error), RuleBook.noFindings, on: loop)
        }
    }

    private func hangUp(on loop: isolated EventLoop) {
        timer = nil
        stream?.flush(on: loop)
        stream?.close(on: loop)
        stream = nil
    }

    private func finish(
        _ ending: ProbeAnswer.Ending, _ verdict: HandshakeVerdict, origin: RecordedOrigin? = nil,
        handshakeTicks: Int64? = nil, on loop: isolated EventLoop
    ) {
        hangUp(on: loop)
        let completion = completion
        self.completion = nil
        var answer = ProbeAnswer(
            ending, verdict, origin: origin, connectTicks: connectTicks, handshakeTicks: handshakeTicks)
        answer.wasSilent = wasSilent
        answer.quantumSecurity = answer.facts.map {
            QuantumSecurity($0, offer: origin?.handshake.offer, profile: order.profile)
        }
        completion?(answer)
    }

    /// Limit for messages after the handshake from an origin that requested a certificate. One that sends tickets, as
    /// nearly all do, sends them within a round trip.
    private static let finalMessagesTimeout = Duration.seconds(2)

    private func moment(on loop: isolated EventLoop) -> Timestamp {
        Timestamp(wall: Int64(Date().timeIntervalSince1970 * 1_000), ticks: loop.now / 1_000)
    }
}

extension OriginProbe: StreamHandler {
    func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop) {
        receive(bytes, on: loop)
    }

    func ended(_ stream: ByteStream, on loop: isolated EventLoop) {
        settle(handshake.ended(reset: false, at: moment(on: loop)), on: loop)
    }

    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) {
        settle(handshake.ended(reset: true, at: moment(on: loop)), on: loop)
    }

    func drained(_ stream: ByteStream, on loop: isolated EventLoop) {}
}

extension DialPlan {
    /// `ADDRESS:PORT` if the plan names an address.
    fileprivate var address: String? {
        IPAddress(first.host) == nil || parent != nil
            ? nil : Authority(host: first.host, port: first.port).description
    }
}

extension RuleBook {
    /// The verdict without findings.
    static let noFindings = HandshakeVerdict(findings: [], failure: nil, remedy: nil)
}
