public import ATSPolicy
import Records

/// The result that the ATS rules predict for a load of a device.
public struct GatePrediction: Sendable {
    public enum Outcome: Sendable, Hashable {
        case passes
        /// The error that a device would report, and the deciding rule; nil for a handshake that failed without one.
        case refused(AppleError, rule: RuleID?)
        /// The reason why the result is unknown.
        case undecided(String)
    }

    public let outcome: Outcome
    /// The requirements of ATS for the handshake; nil if there are none, and for http.
    public let demands: TLSDemands?
    public let basis: RulingBasis

    public init(_ outcome: Outcome, demands: TLSDemands?, basis: RulingBasis) {
        self.outcome = outcome
        self.demands = demands
        self.basis = basis
    }

    /// The error that a device would report; nil if the load is allowed or the result is unknown.
    public var error: AppleError? {
        guard case .refused(let error, _) = outcome else { return nil }
        return error
    }
}

/// Predicts loads of devices under one dictionary.
public struct DevicePredictor: Sendable {
    private let declaration: Declaration
    private let switches: JudgeSwitches
    private let appTrust: AppTrust

    public init(_ declaration: Declaration, switches: JudgeSwitches = JudgeSwitches(), appTrust: AppTrust = .systemOnly)
    {
        self.declaration = declaration
        self.switches = switches
        self.appTrust = appTrust
    }

    public func prediction(of load: DeviceLoad) -> GatePrediction {
        let judge = Judge(declaration: declaration, profile: load.profile, switches: switches)
        let ruling = judge.rule(on: load.target, loader: load.loader)
        var permit: ConnectPermit?
        if case .permit(let given) = ruling { permit = given }
        return GatePrediction(outcome(load, permit, by: judge), demands: permit?.demands, basis: ruling.basis)
    }

    private func outcome(_ load: DeviceLoad, _ permit: ConnectPermit?, by judge: Judge) -> GatePrediction.Outcome {
        if let permit, permit.target.scheme == .https, load.handshake == nil { return unseen(load, permit) }
        var record = LoadRecord(
            time: load.unixSeconds * 1_000, recording: "",
            client: RecordedClient(address: "", label: nil, userAgent: nil, loader: load.loader, os: ""),
            load: RecordedRequest(method: "", path: "/", target: load.target, wireProtocol: .unknown),
            policy: RecordedPolicy(source: nil, bundleID: nil, os: load.profile.name, basis: nil), verdict: .allowed)
        record.restore(load.handshake)
        let replayed = LoadReplay(judge: judge, appTrust: appTrust).replay(record)
        switch replayed.verdict {
        case .allowed, .outside: return .passes
        case .undecidable: return .undecided(replayed.why ?? "the recording lacks the facts to decide")
        case .blocked, .failed:
            let broken = load.handshake?.failure.map { LoadFailure.handshake($0, rule: replayed.rule) }
            guard let failure = replayed.law?.failure ?? broken else {
                return .undecided("the recording does not show how the load ended")
            }
            return refused(failure, replayed.rule, load)
        }
    }

    /// Predicts a load without a recorded handshake. The device's own log line contains the TLS version and suite, but
    /// no certificates.
    private func unseen(_ load: DeviceLoad, _ permit: ConnectPermit) -> GatePrediction.Outcome {
        guard let demands = permit.demands else {
            // ATS has no requirements, and the device has applied those of the system itself.
            return load.device.outcome == .accepted ? .passes : .undecided(noOrigin)
        }
        if let version = load.device.tls?.version,
            let agreed = TLSVersion.allCases.first(where: { $0.name == version }),
            agreed < demands.minimumTLS
        {
            return refused(.handshake(.versionNotOffered, rule: .tlsVersion), .tlsVersion, load)
        }
        if demands.forwardSecrecy, let suite = load.device.tls?.cipher, suite.hasPrefix("TLS_RSA_") {
            return refused(.handshake(.alertReceived(handshakeFailure), rule: .forwardSecrecy), .forwardSecrecy, load)
        }
        return .undecided(noOrigin)
    }

    private func refused(_ failure: LoadFailure, _ rule: RuleID?, _ load: DeviceLoad) -> GatePrediction.Outcome {
        let error = AppleErrorTable.error(
            for: failure, target: load.target, urlText: load.url, profile: load.profile, facts: load.handshake?.facts,
            identifiers: LogIdentifiers(task: "U", taskIndex: 1, connection: 1), readings: switches.apple)
        return .refused(error, rule: rule)
    }
}

private let noOrigin = "a device's log does not contain the server's certificate"
/// RFC 8446 section 6.
private let handshakeFailure: UInt8 = 40
