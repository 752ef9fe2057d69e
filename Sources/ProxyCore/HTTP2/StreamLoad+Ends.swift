import HTTP2Engine
import OriginHandshake
import Records

extension StreamLoad {
    /// What is to be done with a load after it was ruled anew, or after its origin's stream ended.
    enum Outcome {
        /// It has its answer or its record: nothing.
        case settled
        /// It needs a link.
        case wantsLink
    }

    /// Another law may have come into force while the load was in line: it goes on under that, or is answered here.
    func readmit(in tunnel: Tunnel) -> Outcome {
        switch context.readmit(load, in: tunnel) {
        case .carry, nil: return .wantsLink
        case .refuse(let diagnosis): refuse(diagnosis)
        case .loop: fail(.loop(to: load.target))
        }
        return .settled
    }

    /// A device would not have loaded from there.
    func refuse(_ origin: RefusedOrigin) {
        let diagnosis = context.blame(origin, for: load)
        guard origin.failure.verdict != .blocked else { return refuse(diagnosis, origin: origin.recorded) }
        fail(.brokenHandshake(origin.failure, diagnosis), origin: origin.recorded)
    }

    /// An origin's stream is over: the load is done, fails, or is asked once more.
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

    /// What an origin has not looked at may be asked again, once. Where its GOAWAY took other loads, this does not count:
    /// each connection then brings the rest nearer to its turn. Source: RFC 9113 sections 6.8 and 8.7.
    private func takeRetry(after end: HTTP2StreamEnd, of stream: HTTP2Stream, _ link: OriginLink) -> Bool {
        if end == .refused, let last = link.http2?.peerLastStream, last > 0, stream.id > last { return true }
        return load.takeRetry(if: end == .refused || (end == .lost && load.mayRetry))
    }

    /// A stream that the origin resets ends for the client as it did for us.
    private func mirrorReset(_ code: UInt32, on link: OriginLink) {
        cutAnswer(HTTP2ErrorCode(rawValue: code) ?? .internalError)
        file(.failed, context.reset(load, code: code, on: link), on: link)
    }
}
