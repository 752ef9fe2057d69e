import ATSPolicy
import HTTPWire
import OriginHandshake
import Records
import TLSEngine

/// Files one record per load, and one for a tunnel without visible loads.
struct LoadRecorder {
    let context: SessionContext
    let tunnel: Tunnel?

    /// - Parameters:
    ///   - ending: the way the gate ended the load; nil if the gate did not end it.
    ///   - link: the link that carried the load.
    ///   - origin: the origin's record, if not the link's.
    func file(
        _ load: Load, _ verdict: Verdict, by ending: GateEnding? = nil, diagnosis: RecordedDiagnosis? = nil,
        on link: OriginLink? = nil, origin: RecordedOrigin? = nil
    ) {
        guard !load.isRecorded else { return }
        load.isRecorded = true
        var record = record(
            of: RecordedRequest(
                method: load.head.method.name, path: load.pathText, target: load.target,
                wireProtocol: load.wireProtocol, redirectedFrom: load.redirectedFrom),
            by: load.client, under: load.ruled.policy, verdict, since: load.started)
        if verdict == .blocked { record.refusal = ending?.refusal }
        record.origin = origin ?? link?.met.recorded ?? tunnel?.met?.recorded
        record.status = load.status
        record.bytesSent = load.bytesSent
        record.bytesReceived = load.bytesReceived
        record.via = link?.route.parent ?? tunnel?.via
        record.removed = load.removed
        if load.isFirstOnLink {
            record.timing.connect = link?.connectTicks
            record.timing.handshake = link?.met.handshakeTicks
        }
        record.timing.firstByte = load.firstByteTicks.map { $0 - load.started.ticks }
        tunnel?.records += 1
        let told = diagnosis ?? load.diagnosis ?? link?.met.remark
        file(&record, load.ruled, ending, told, noting: load.remark, load.witnessed)
    }

    /// Files the record of a tunnel without loads, once.
    ///
    /// - Parameter status: the status of a refused CONNECT. nil for an open tunnel, because the response to its CONNECT
    ///   is not that of a load.
    func fileTunnel(_ ending: GateEnding? = nil, status: Int? = nil) {
        guard let tunnel, tunnel.awaitsRecord else { return }
        tunnel.isRecorded = true
        var record = record(
            of: RecordedRequest(
                method: Method.connect.name, path: "/", target: tunnel.target, wireProtocol: .tunnel,
                redirectedFrom: context.origin(ofRedirectTo: tunnel.target, path: nil, at: tunnel.opened.ticks)),
            by: context.recordedClient(under: tunnel.ruled), under: tunnel.ruled.policy, tunnel.verdict,
            since: tunnel.opened)
        record.refusal = ending?.refusal
        record.origin = tunnel.met?.recorded
        record.status = status
        record.bytesSent = context.client.relayed.sent
        record.bytesReceived = context.client.relayed.received
        record.via = tunnel.via
        record.timing.connect = tunnel.connectTicks
        record.timing.handshake = tunnel.handshakeTicks
        file(
            &record, tunnel.ruled, ending, tunnel.diagnosis,
            noting: tunnel.remark?.adding(context.helloDoubt) ?? context.helloDoubt,
            tunnel.conduct(of: context.client))
    }

    /// Files the record of a tunnel without loads, with the result of the session's end if the tunnel has none yet.
    func fileTunnel(ended reason: EndReason) {
        tunnel?.end(reason, context)
        fileTunnel()
    }

    /// Files the record of a tunnel whose client accepted a leaf of the gate, with the way in which the client left.
    func fileTunnel(left reason: EndReason) {
        tunnel?.noteLeaving(reason, context)
        fileTunnel()
    }

    /// Fails a tunnel that has carried no load; it is filed when its session ends.
    func fail(_ diagnosis: RecordedDiagnosis) {
        if let tunnel, tunnel.records == 0 { tunnel.fail(diagnosis) }
    }

    /// Makes a record with the fields that all records share.
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

    /// Completes a record and emits it.
    ///
    /// - Parameter conduct: the client's own behavior; evaluated only in witness mode.
    private func file(
        _ record: inout LoadRecord, _ ruled: TargetRuling, _ ending: GateEnding?, _ told: RecordedDiagnosis?,
        noting remark: RecordedDiagnosis?, _ conduct: @autoclosure () -> ConversationOutcome
    ) {
        record.diagnosis = told?.adding(remark) ?? remark
        record.shown = ending?.shown(insteadOf: record.diagnosis?.apple, under: ruled.system.judge)
        if context.loop.policy.rules.mode == .witness { record.device = RecordedDevice(conduct()) }
        record.markDecrypted()
        if let cause = ruled.requester.outside { record.markOutside(for: cause) }
        context.effect(.record(record))
    }

    /// Handles a client whose TLS broke before any load: it did not accept the leaf.
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

extension RecordedDevice {
    convenience init(_ outcome: ConversationOutcome) {
        let told: Outcome =
            switch outcome.outcome {
            case .accepted: .accepted
            case .refused: .refused
            case .unknown: .unknown
            }
        self.init(told, how: outcome.how, confidence: outcome.isCertain ? .observed : .inferred)
    }
}
