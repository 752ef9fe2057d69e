import ATSPolicy
import HTTPWire
import Records
import TLSEngine

/// One record per load, whatever happened, and one for a tunnel that carried none that could be seen.
struct LoadRecorder {
    let context: SessionContext
    let tunnel: Tunnel?

    /// - Parameters:
    ///   - ending: how the gate ended it; nil where that was not the gate.
    ///   - link: what carried the load.
    ///   - origin: the origin as met, where it is another than the link's.
    func file(
        _ load: Load, _ verdict: Verdict, by ending: GateEnding? = nil, diagnosis: RecordedDiagnosis? = nil,
        on link: OriginLink? = nil, origin: RecordedOrigin? = nil
    ) {
        guard !load.isRecorded else { return }
        load.isRecorded = true
        var record = record(
            of: RecordedRequest(
                method: load.head.method.name, path: load.pathText, target: load.decisive.target,
                wireProtocol: load.wireProtocol, redirectedFrom: load.redirectedFrom),
            by: load.client, under: load.decisive.policy, verdict, since: load.started)
        if verdict == .blocked { record.refusal = ending?.refusal }
        record.origin = origin ?? link?.origin ?? tunnel?.origin.recorded
        record.status = load.status
        record.bytesSent = load.bytesSent
        record.bytesReceived = load.bytesReceived
        record.via = link?.route.parent ?? tunnel?.origin.via
        record.removed = load.removed
        if load.isFirstOnLink {
            record.timing.connect = link?.connectTicks
            record.timing.handshake = link?.handshakeTicks
        }
        record.timing.firstByte = load.firstByteTicks.map { $0 - load.started.ticks }
        tunnel?.records += 1
        let told = diagnosis ?? load.diagnosis ?? link?.remark
        file(&record, load.ruled, ending, told, noting: load.remark, load.witnessed)
    }

    /// The record of a tunnel without loads; once, and only then.
    ///
    /// - Parameter status: of the answer to a CONNECT that opened no tunnel. Once one is open no load has had an answer:
    ///   that of the CONNECT is not theirs.
    func fileTunnel(_ ending: GateEnding? = nil, status: Int? = nil) {
        guard let tunnel, tunnel.awaitsRecord else { return }
        tunnel.isRecorded = true
        var record = record(
            of: RecordedRequest(
                method: Method.connect.name, path: "/", target: tunnel.target, wireProtocol: .tunnel,
                redirectedFrom: context.origin(ofRedirectTo: tunnel.target, path: nil, at: tunnel.opened.ticks)),
            by: context.recordedClient, under: tunnel.ruled.policy, tunnel.verdict, since: tunnel.opened)
        record.refusal = ending?.refusal
        record.origin = tunnel.origin.recorded
        record.status = status
        record.bytesSent = context.client.relayed.sent
        record.bytesReceived = context.client.relayed.received
        record.via = tunnel.origin.via
        record.timing.connect = tunnel.origin.connectTicks
        record.timing.handshake = tunnel.origin.handshakeTicks
        file(
            &record, tunnel.ruled, ending, tunnel.diagnosis, noting: tunnel.remark, tunnel.conduct(of: context.client))
    }

    /// The same where the session's end says what became of it, if nothing was concluded before.
    func fileTunnel(ended reason: EndReason) {
        tunnel?.end(reason, context)
        fileTunnel()
    }

    /// The same where the client was let in with a leaf of ours: how it left tells something, too.
    func fileTunnel(left reason: EndReason) {
        tunnel?.noteLeaving(reason, context)
        fileTunnel()
    }

    /// A tunnel that has carried no load fails; it is filed when its session ends.
    func fail(_ diagnosis: RecordedDiagnosis) {
        if let tunnel, tunnel.records == 0 { tunnel.fail(diagnosis) }
    }

    /// What every record begins with.
    private func record(
        of request: consuming RecordedRequest, by client: RecordedClient, under policy: RecordedPolicy,
        _ verdict: Verdict, since start: Timestamp
    ) -> LoadRecord {
        var record = LoadRecord(
            time: start.wall, recording: context.loop.policy.recording, client: client, load: request, policy: policy,
            verdict: verdict)
        record.timing.total = context.now.ticks - start.ticks
        return record
    }

    /// What every record ends with, and where it goes.
    ///
    /// - Parameter conduct: what the client did of its own accord; asked for in witness mode alone.
    private func file(
        _ record: inout LoadRecord, _ ruled: TargetRuling, _ ending: GateEnding?, _ told: RecordedDiagnosis?,
        noting remark: RecordedDiagnosis?, _ conduct: @autoclosure () -> ConversationOutcome
    ) {
        record.diagnosis = told?.adding(remark) ?? remark
        record.shown = ending?.shown(insteadOf: record.diagnosis?.apple, under: ruled.system.judge)
        if context.loop.policy.rules.mode == .witness { record.device = RecordedDevice(conduct()) }
        if let cause = ruled.requester.outside { record.leaveOutside(for: cause) }
        record.candidates = candidates(on: record, ruled)
        context.effect(.record(record))
    }

    /// The last word is that of the candidates: they judge the load as it is recorded.
    private func candidates(on record: LoadRecord, _ ruled: TargetRuling) -> [CandidateVerdict] {
        guard !ruled.system.candidates.isEmpty else { return [] }
        return context.loop.candidates.verdicts(on: record, under: ruled.system)
    }

    /// The client's TLS broke before any load: it did not like our leaf.
    func leafRejected() -> Transition {
        if let tunnel {
            let suspicion = context.loop.pinning.refused(
                tunnel.target.host, context.pinningClient(tunnel.agent), at: context.now.ticks)
            let finding = Finding.clientRejectedLeaf(
                alert: context.client.tls?.alertReceived, host: tunnel.target.host, suspicion,
                declared: tunnel.declaredPins(by: context.system))
            fail(RecordedDiagnosis(finding))
        }
        fileTunnel()
        return .close(.settled)
    }
}
