import ATSPolicy
import HTTP2Engine
import OriginHandshake
import Records

extension StreamLoad {
    /// The next step of a load after it was ruled on again, or after its origin's stream ended.
    enum Outcome {
        /// None: the load has its response or its record.
        case settled
        /// It needs a link.
        case wantsLink
    }

    /// Rules again on a queued load if the policy has changed; a blocked load is answered here.
    func readmit(in tunnel: Tunnel) -> Outcome {
        switch context.readmit(load, in: tunnel) {
        case .carry, nil: return .wantsLink
        case .refuse(let diagnosis): refuse(diagnosis)
        case .fail(let answer): fail(answer)
        }
        return .settled
    }

    /// Fails a load because of its origin's handshake.
    func refuse(_ origin: MetOrigin, _ failure: LoadFailure) {
        let diagnosis = context.diagnosis(of: origin, under: load.ruled, path: load.pathText)
        guard failure.verdict != .blocked else { return refuse(diagnosis, origin: origin.recorded) }
        fail(.brokenHandshake(failure, diagnosis), origin: origin.recorded)
    }

    /// Handles the end of the origin's stream: the load is complete, fails, or is sent again.
    func originStreamEnded(_ end: HTTP2StreamEnd) -> Outcome {
        guard case .stream(let stream, let link) = carrier else { return .settled }
        leaveCarrier()
        if load.answerIsWhole {
            file(load.passVerdict, on: link)
            stopRequest()
            return .settled
        }
        if isRepeatable, takeRetry(after: end, of: stream, link) { return .wantsLink }
        switch end {
        case .lost:
            if case .failed(let failure)? = link.http2?.state {
                fail(context.malformed(.brokenAnswers(failure), load, on: link), on: link)
            } else {
                fail(context.lost(load, on: link, reset: true))
            }
        case .done: fail(context.lost(load, on: link, reset: false))
        case .refused: mirrorReset(HTTP2ErrorCode.refusedStream.rawValue, on: link)
        case .reset(let code): mirrorReset(code, on: link)
        }
        return .settled
    }

    /// Returns true if the load may be sent again, because the origin has not processed it. Each load gets one retry.
    /// Loads above the last stream of a GOAWAY do not use it up: each new connection serves some of them. Source: RFC
    /// 9113 sections 6.8 and 8.7.
    private func takeRetry(after end: HTTP2StreamEnd, of stream: HTTP2Stream, _ link: OriginLink) -> Bool {
        if end == .refused, let last = link.http2?.peerLastStream, last > 0, stream.id > last { return true }
        return load.takeRetry(if: end == .refused || (end == .lost && load.mayRetry))
    }

    /// Resets the client's stream with the origin's error code.
    private func mirrorReset(_ code: UInt32, on link: OriginLink) {
        cutAnswer(HTTP2ErrorCode(rawValue: code) ?? .internalError)
        file(.failed, context.reset(load, code: code, on: link), on: link)
    }
}
