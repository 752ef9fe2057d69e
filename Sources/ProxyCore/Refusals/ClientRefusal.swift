import ATSPolicy
import Bytes
import HTTPWire
import OriginHandshake
import Records
import TLSEngine

/// Makes the client's TLS fail for a blocked or failed https load, as the app would see it on a device.
final class ClientRefusal: SessionMachine {
    let context: SessionContext
    private let refused: Tunnel
    private let failure: LoadFailure
    private let diagnosis: RecordedDiagnosis

    private init(_ context: SessionContext, in tunnel: Tunnel, for failure: LoadFailure, _ diagnosis: RecordedDiagnosis)
    {
        self.context = context
        refused = tunnel
        self.failure = failure
        self.diagnosis = diagnosis
    }

    /// Refuses a client that has received nothing but the confirmation of its tunnel. The gate answers its hello.
    static func become(
        _ context: SessionContext, in tunnel: Tunnel, to hello: HeldClient, for failure: LoadFailure,
        _ diagnosis: RecordedDiagnosis
    ) -> Transition {
        if context.client.tls == nil {
            context.client.inbox.removeAll()
            if let end = context.client.startTLS(with: hello) { return end }
        }
        return .become(ClientRefusal(context, in: tunnel, for: failure, diagnosis))
    }

    var tunnel: Tunnel? { refused }
    private var client: ClientStream { context.client }

    /// Answers the held hello with the refusal.
    func begin() -> Transition {
        context.releaseClient()
        guard let tls = client.tls, tls.state == .helloHeld else { return .close(.settled) }
        switch style {
        case .mirror:
            guard let leaf = mirroredLeaf else { return refuseByUntrustedLeaf(tls) }
            file(.mirror)
            return refuse(by: leaf, tls, isFlawed: true)
        case .untrustedLeaf: return refuseByUntrustedLeaf(tls)
        case .alert:
            let alert = failure.alertToMirror ?? RefusalAlert.alert(for: failure, on: refused.ruled.system.profile)
            guard alert != RefusalAlert.close else { return close() }
            file(.alert(alert))
            tls.refuse(alert: alert)
            return .linger
        case .close, .page: return close()
        }
    }

    private func refuseByUntrustedLeaf(_ tls: TLSMachine) -> Transition {
        let host = refused.target.host
        let rule = diagnosis.findings.first?.rule
        do throws(CertificateError) {
            let leaf = try context.loop.refusalMint.leaf(for: rule, host: host, now: context.now.unixSeconds)
            file(.untrustedLeaf)
            return refuse(by: leaf, tls, isFlawed: false)
        } catch {
            let fault = RecordedDiagnosis(.gateFault(.leaf(host: host, error)))
            LoadRecorder(context: context, tunnel: refused).fail(fault)
            return close()
        }
    }

    private func close() -> Transition {
        file(.close)
        return .close(.settled)
    }

    private func file(_ ending: GateEnding) {
        LoadRecorder(context: context, tunnel: refused).fileTunnel(ending)
    }

    /// Finishes the handshake with a leaf that the client should reject.
    private func refuse(by leaf: Leaf, _ tls: TLSMachine, isFlawed: Bool) -> Transition {
        let offered = tls.clientHello?.alpn ?? []
        tls.finish(
            leaf: leaf, alpn: offered.contains(ClientStream.http1) ? ClientStream.http1 : nil,
            allowingWeakness: isFlawed)
        context.arm(.handshake)
        return readOn()
    }

    /// A leaf with the origin's own defect, if the defect is in the origin's leaf.
    private var mirroredLeaf: Leaf? {
        guard case .trust(let rule, _) = failure, let origin = refused.met?.facts?.served.first else {
            return nil
        }
        return context.loop.mirrorMint.leaf(
            for: rule, host: refused.target.host, origin: origin, now: context.now.unixSeconds)
    }

    /// The ending for this failure: failures are shown as they occurred, blocked loads in the chosen style.
    private var style: Refusal {
        if failure.verdict == .failed { return failure.alertToMirror == nil ? .close : .alert }
        switch context.loop.policy.rules.refusal {
        case .untrustedLeaf: return .untrustedLeaf
        case .alert: return .alert
        case .close: return .close
        case .mirror: return .mirror
        }
    }

    func clientSent(_ bytes: UnsafeRawBufferPointer) -> Transition {
        client.receive(bytes)
        return readOn()
    }

    /// Answers a client that continues although it cannot trust the leaf (curl -k) with an error page.
    private func readOn() -> Transition {
        guard let tls = client.tls else { return .close(.settled) }
        switch tls.state {
        case .failed: return .close(.settled)
        case .closed where client.inbox.isEmpty: return .close(.settled)
        case .handshaking, .helloHeld: return .stay
        case .closed, .established: break
        }
        do throws(WireError) {
            let step = try client.reader.next(in: client.inbox.bytes)
            client.inbox.consume(step.consumed)
            guard case .requestHead(let head)? = step.event else { return .stay }
            let url = refused.target.origin + head.pathText
            client.write(
                GatePage(
                    url: url, client: context.recordedClient, diagnosis: diagnosis,
                    deciding: refused.ruled.policy.basis?.keyPath, wantsJSON: head.wantsJSON),
                answering: head, ends: true)
            return .linger
        } catch {
            return .close(.settled)
        }
    }

    var onlyWaits: Bool { true }

    func end(_ reason: EndReason) { LoadRecorder(context: context, tunnel: refused).fileTunnel() }
}

extension LoadFailure {
    /// The origin's own alert, which is passed to the client unless a rule explains it.
    fileprivate var alertToMirror: UInt8? {
        if verdict == .failed, case .handshake(.alertReceived(let alert), _) = self { alert } else { nil }
    }
}

/// The way in which the gate itself ends a load on the wire.
enum GateEnding {
    case page
    case untrustedLeaf
    case alert(UInt8)
    case close
    /// A certificate with the origin's own defect; an app reports the same error as for the origin.
    case mirror
    /// A CONNECT answered with a status other than 200.
    case refusedTunnel
    /// A SOCKS request answered with a failure; the app's error code for that is not known.
    case refusedSOCKS

    /// The value for records of blocked loads.
    var refusal: Refusal? {
        switch self {
        case .page: .page
        case .untrustedLeaf: .untrustedLeaf
        case .alert: .alert
        case .close: .close
        case .mirror: .mirror
        case .refusedTunnel, .refusedSOCKS: nil
        }
    }

    /// The error that the app sees; nil if a device without the gate would report the same.
    ///
    /// - Parameter apple: the error of that device. Its -1202 means that ATS does not require trust for that host, so
    ///   the app's own error for a leaf of the gate is also that of a lax evaluation.
    func shown(insteadOf apple: AppleError?, under judge: Judge) -> ShownError? {
        guard let shown = shown(isStrict: apple?.code != -1202, under: judge) else { return nil }
        let isSame = shown.code != nil && shown.code == apple?.code && shown.streamErrorCode == apple?.streamErrorCode
        return isSame ? nil : shown
    }

    private func shown(isStrict: Bool, under judge: Judge) -> ShownError? {
        let (profile, readings) = (judge.profile, judge.switches.apple)
        return switch self {
        case .page: ShownError(style: .page)
        case .untrustedLeaf:
            ShownError(.untrustedLeaf, .untrustedLeaf(isStrict: isStrict, on: profile, readings: readings))
        case .alert(let alert): ShownError(.alert, .alert(alert, on: profile, readings: readings))
        case .close: ShownError(.close, .close(on: profile))
        case .mirror: nil
        case .refusedTunnel: ShownError(.noTunnel, .refusedTunnel)
        case .refusedSOCKS: ShownError(style: .noTunnel)
        }
    }
}

extension ShownError {
    fileprivate init(_ style: Style, _ numbers: ShownNumbers) {
        self.init(style: style, code: numbers.code, streamErrorCode: numbers.streamErrorCode)
    }
}
