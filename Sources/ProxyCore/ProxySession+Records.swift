import ATSPolicy
import HTTPWire
import Records

/// One card per load, whatever happened.
extension ProxySession {
    ///
    /// - Parameter carrier: the link that carried it; the session's own when nil.
    func record(
        _ exchange: Exchange, verdict: Verdict, refusal: Refusal? = nil, diagnosis: DiagnosisCard? = nil,
        on carrier: OriginLink? = nil
    ) {
        let head = exchange.head
        let link = carrier ?? link
        var record = LoadRecord(
            time: exchange.started.wall, recording: loop.policy.recording,
            client: exchange.client,
            load: LoadCard(
                method: head.method.name, path: exchange.pathText, target: exchange.target,
                wireProtocol: exchange.wireProtocol, redirectedFrom: exchange.parent),
            policy: exchange.policy, verdict: verdict)
        record.refusal = refusal
        record.origin = link?.card ?? scope?.card
        record.diagnosis = diagnosis ?? exchange.diagnosis ?? link?.remark
        record.status = exchange.status
        record.bytesSent = exchange.bytesSent
        record.bytesReceived = exchange.bytesReceived
        record.via = link?.route.parent ?? scope?.via
        record.removed = exchange.removed
        if exchange.isFirstOnLink {
            record.timing.connect = link?.connectTicks
            record.timing.handshake = link?.handshakeTicks
        }
        record.timing.firstByte = exchange.firstByteTicks.map { $0 - exchange.started.ticks }
        record.timing.total = now.ticks - exchange.started.ticks
        scope?.records += 1
        effect(.record(record))
    }

    /// The record of a CONNECT that carried no load we could see; once, and only then.
    func recordTunnel(refusal: Refusal?, status: Int = 200) {
        guard let scope, !scope.isRecorded, scope.records == 0 else { return }
        scope.isRecorded = true
        let head = scope.connectHead
        var verdict = scope.verdict
        if verdict == .allowed, scope.diagnosis != nil { verdict = .wouldBlock }
        var record = LoadRecord(
            time: scope.opened.wall, recording: loop.policy.recording,
            client: asker,
            load: LoadCard(
                method: head.method.name, path: "/", target: scope.target, wireProtocol: .tunnel,
                redirectedFrom: parent(of: scope.target, path: nil, at: scope.opened.ticks)),
            policy: scope.policy, verdict: verdict)
        record.refusal = refusal
        record.origin = scope.card
        record.diagnosis = scope.diagnosis ?? scope.remark
        record.status = status
        record.bytesSent = scope.bytesSent
        record.bytesReceived = scope.bytesReceived
        record.via = scope.via
        record.timing.connect = scope.connectTicks
        record.timing.handshake = scope.handshakeTicks
        record.timing.total = now.ticks - scope.opened.ticks
        effect(.record(record))
    }

    /// What a denial means to the app, and what would help.
    func diagnosis(of denial: Denial, head: RequestHead) -> DiagnosisCard {
        let verdict = RuleBook.standard.judge(denial, profile: system.profile)
        return diagnosis(verdict, target: denial.target, path: Exchange.pathText(of: head))
    }

    func diagnosis(
        _ verdict: HandshakeVerdict, target: LoadTarget, path: String, facts: HandshakeFacts? = nil
    ) -> DiagnosisCard {
        let apple = verdict.failure.map {
            AppleErrorTable.error(
                for: $0, target: target, urlText: target.origin + path, profile: system.profile, facts: facts,
                identifiers: loop.identifiers(), readings: system.judge.switches.apple)
        }
        return DiagnosisCard(findings: verdict.findings, apple: apple, remedy: verdict.remedy)
    }
}

extension DiagnosisCard {
    /// For what happens to the gate or the client, which Apple's systems have no word for.
    convenience init(_ finding: Finding) {
        self.init(findings: [finding], apple: nil, remedy: nil)
    }
}
