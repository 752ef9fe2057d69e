import ATSPolicy
import Bytes
import HTTP2Engine
import HTTPWire
import Records
import TLSEngine

/// Loads of a client that speaks HTTP/2: each stream is ruled, carried and recorded as a load of its own.
extension ProxySession {
    /// The client's connection is HTTP/2 from here on. A link that is up already carries the first loads.
    func startStreams() {
        guard let board = try? Switchboard(session: self) else { return close() }
        stage = .streams(board)
        armed = nil
        if let link, link.tls == nil || link.isSecured {
            self.link = nil
            streamLinkReady(link, board)
        }
        if isDraining { board.machine.shutDown(.noError) }
        clientSentFrames(board)
    }

    /// Takes what the client's connection brought.
    func clientSentFrames(_ board: Switchboard) {
        board.machine.ticks = now.ticks
        if !client.inbox.isEmpty {
            board.machine.receive(client.inbox.bytes)
            client.inbox.removeAll()
        }
        if case .failed(let failure) = board.machine.state { return breakStreams(board, failure) }
        switch client.tls?.state {
        case .closed: close()
        case .failed: clientRejectedLeaf()
        default: settleStreams(board)
        }
    }

    /// After every event: frames go out, and the one timer stands for what is waited for now.
    func settleStreams(_ board: Switchboard) {
        guard case .streams = stage else { return }
        flushFrames(board)
        if board.machine.state == .done { return close() }
        if isDraining, board.loads.isEmpty { return leaveStreams(board) }
        let wanted = board.shaking != nil ? Deadline.handshake : board.loads.isEmpty ? .idle : .answer
        if armed != wanted { arm(wanted) }
    }

    func flushFrames(_ board: Switchboard) {
        let limit = loop.policy.limits.highWaterBytes
        for link in board.links { link.writeFrames(loop.scratch, limit: limit) }
        board.isHeldBack = moveFrames(
            of: board.machine, through: client.tls, to: client.outbox, scratch: loop.scratch, limit: limit)
        // What has just left for the client opens windows of its origins, and nothing else may happen to tell them.
        for link in board.links where link.http2?.wantsToWrite == true {
            link.writeFrames(loop.scratch, limit: limit)
        }
    }

    // MARK: One load

    func streamOpened(_ request: HTTP2Request, _ stream: HTTP2Stream, _ board: Switchboard) {
        guard let scope else { return stream.reset(.internalError) }
        meet(request.head)
        let target = scope.target
        let ruled = ruled(on: target)
        var permit: ConnectPermit?
        var diagnosis = scope.diagnosis
        switch ruled.ruling {
        case .permit(let given):
            scope.permit = given
            permit = given
        case .denial(let denial):
            diagnosis = self.diagnosis(of: denial, head: request.head)
            if loop.policy.mode == .audit { permit = system.judge.setAside(denial) }
        }
        scope.policy = ruled.policy
        let exchange = Exchange(
            head: request.head, target: target, client: asker, permit: permit, policy: ruled.policy,
            diagnosis: diagnosis, started: now)
        exchange.parent = parent(of: target, path: exchange.pathText, at: now.ticks)
        exchange.wireProtocol = request.protocolName == "websocket" ? .websocket : .http2
        let load = StreamLoad(request, on: stream, exchange: exchange, session: self)
        stream.handler = load
        board.add(load)
        if request.head.method == .connect, request.protocolName == nil {
            // As in HTTP/1.1, this is no load.
            load.isRecorded = true
            let page = GatePage(
                status: 400, title: "A tunnel in a tunnel", sentences: ["CONNECT stops at the first proxy."],
                wantsJSON: false)
            return answer(page, to: load)
        }
        guard exchange.permit != nil else { return refuse(load) }
        carry(load, board)
    }

    /// A load that the law denies.
    private func refuse(_ load: StreamLoad) {
        guard let diagnosis = load.exchange.diagnosis else { return }
        answer(refusal: diagnosis, to: load)
        record(load, verdict: .blocked, refusal: .page, diagnosis: diagnosis)
    }

    func answer(refusal diagnosis: DiagnosisCard, to load: StreamLoad) {
        let url = load.exchange.target.origin + load.exchange.pathText
        let page = GatePage(
            url: url, client: load.exchange.client, diagnosis: diagnosis, wantsJSON: load.request.head.wantsJSON)
        answer(page, to: load)
    }

    /// An answer of the gate's own.
    func answer(_ page: GatePage, to load: StreamLoad) {
        load.exchange.status = page.status
        load.exchange.answerIsDone = true
        let withBody = load.request.head.method != .head
        load.client.answer(page.head, endsStream: !withBody)
        if withBody {
            Array(page.body.utf8).withUnsafeBytes { load.client.send($0) }
            load.client.finish(trailers: nil)
        }
        load.stopRequest()
    }

    /// The load can not be finished: say why if nothing was said yet, else let the client see that the answer is cut.
    func fail(_ load: StreamLoad, status: Int, title: String, diagnosis: DiagnosisCard) {
        leaveLane(of: load)
        if load.exchange.status == nil {
            let sentences = diagnosis.findings.map(\.observed)
            answer(
                GatePage(
                    status: status, title: title, sentences: sentences, wantsJSON: load.request.head.wantsJSON),
                to: load)
        } else {
            load.cutAnswer(.internalError)
        }
        record(load, verdict: .failed, diagnosis: diagnosis)
    }

    /// The origin's answer has begun.
    func answerBegan(_ load: StreamLoad, _ head: ResponseHead, endsStream: Bool) {
        let exchange = load.exchange
        let head = withoutHTTP3(head, of: exchange)
        load.movedTicks = now.ticks
        if exchange.firstByteTicks == nil { exchange.firstByteTicks = now.ticks }
        guard !head.isInterim else { return load.client.answer(head, endsStream: false) }
        exchange.status = head.status
        load.answeredWhole = endsStream
        noteRedirect(head, of: exchange)
        load.client.answer(head, endsStream: endsStream)
    }

    // MARK: Ends of streams

    func originStreamClosed(_ load: StreamLoad, _ end: HTTP2StreamEnd) {
        guard case .stream(let stream, let link) = load.lane, case .streams(let board) = stage else { return }
        load.lane = .none
        if load.exchange.answerIsDone {
            record(load, verdict: load.exchange.passVerdict, on: link)
            return load.stopRequest()
        }
        if load.isWhole, mayAskAgain(load, end, of: stream, link) { return carry(load, board) }
        switch end {
        case .lost, .done:
            let cut = Finding.originCut(after: load.exchange.bytesReceived, reset: end == .lost)
            fail(load, status: 502, title: "The origin closed the connection", diagnosis: DiagnosisCard(cut))
        case .refused: mirrorReset(HTTP2ErrorCode.refusedStream.rawValue, of: load, on: link)
        case .reset(let code): mirrorReset(code, of: load, on: link)
        }
    }

    /// What an origin has not looked at may be asked again, once. Where its GOAWAY took other loads, this does not count:
    /// each connection then brings the rest nearer to its turn. Source: RFC 9113 sections 6.8 and 8.7.
    private func mayAskAgain(
        _ load: StreamLoad, _ end: HTTP2StreamEnd, of stream: HTTP2Stream, _ link: OriginLink
    ) -> Bool {
        if end == .refused, let last = link.http2?.peerLastStream, last > 0, stream.id > last { return true }
        guard load.exchange.retries == 0, end == .refused || (end == .lost && load.exchange.mayRetry) else {
            return false
        }
        load.exchange.retries = 1
        return true
    }

    /// A stream that the origin resets ends for the client as it did for us.
    private func mirrorReset(_ code: UInt32, of load: StreamLoad, on link: OriginLink) {
        load.cutAnswer(HTTP2ErrorCode(rawValue: code) ?? .internalError)
        record(load, verdict: .failed, diagnosis: DiagnosisCard(.streamReset(code: code)), on: link)
    }

    func clientStreamClosed(_ load: StreamLoad, _ end: HTTP2StreamEnd) {
        guard case .streams(let board) = stage else { return }
        board.remove(load)
        let link = load.link
        leaveLane(of: load)
        if load.exchange.answerIsDone {
            record(load, verdict: load.exchange.passVerdict, on: link)
        } else {
            var finding = Finding.clientGone(after: load.exchange.bytesReceived)
            if case .failed(let failure) = board.machine.state { finding = .brokenStreams(failure) }
            record(load, verdict: .failed, diagnosis: DiagnosisCard(finding), on: link)
        }
    }

    /// One card per load, whatever happens to its streams afterwards.
    func record(
        _ load: StreamLoad, verdict: Verdict, refusal: Refusal? = nil, diagnosis: DiagnosisCard? = nil,
        on link: OriginLink? = nil
    ) {
        guard !load.isRecorded else { return }
        load.isRecorded = true
        record(load.exchange, verdict: verdict, refusal: refusal, diagnosis: diagnosis, on: link ?? load.link)
    }
}
