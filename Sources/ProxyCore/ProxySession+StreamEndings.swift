import ATSPolicy
import HTTP2Engine
import Records
import TLSEngine

/// How an HTTP/2 client's connection ends, and what waits too long on it.
extension ProxySession {
    /// Loads in which nothing has moved for too long fail; the timer is set for the next that might.
    func streamDeadlinePassed(_ board: Switchboard) {
        let limits = loop.policy.limits
        var next = limits.idle
        for load in board.loads {
            let isAsked = load.exchange.requestIsDone && load.exchange.status == nil
            let limit = isAsked ? limits.answer : limits.idle
            let left = limit - .microseconds(now.ticks - load.movedTicks)
            guard left <= .zero else {
                next = min(next, left)
                continue
            }
            if isAsked || load.client.queuedBytes == 0 && load.exchange.requestIsDone {
                let verdict = RuleBook.standard.judge(NetworkFailure.timeout, target: load.exchange.target)
                fail(
                    load, status: 504, title: "The origin did not answer in time",
                    diagnosis: diagnosis(verdict, target: load.exchange.target, path: load.exchange.pathText))
            } else {
                fail(
                    load, status: 408, title: "The request did not arrive in time",
                    diagnosis: DiagnosisCard(.clientStalled(limits.idle)))
            }
        }
        guard !board.loads.isEmpty else { return }
        armed = .answer
        effect(.arm(.answer, next))
    }

    /// No new loads: tell the client, and leave once those in flight are over.
    func drainStreams(_ board: Switchboard) {
        board.machine.shutDown(.noError)
        settleStreams(board)
    }

    /// All loads are over and the client has been told to go.
    func leaveStreams(_ board: Switchboard) {
        board.machine.shutDown(.noError)
        flushFrames(board)
        close()
    }

    /// The client's side of the conversation can not go on: nghttp2 has put together why.
    func breakStreams(_ board: Switchboard, _ failure: HTTP2Failure) {
        let diagnosis = DiagnosisCard(.brokenStreams(failure))
        if scope?.records == 0 {
            scope?.verdict = .failed
            scope?.diagnosis = diagnosis
        }
        flushFrames(board)
        close()
    }

    /// Records what is in flight and lets go of every link.
    ///
    /// - Parameter diagnosis: what happened; nil when the client went away.
    func endStreams(_ board: Switchboard, _ diagnosis: DiagnosisCard? = nil) {
        for load in board.loads {
            load.client.handler = nil
            let link = load.link
            leaveLane(of: load)
            let isDone = load.exchange.answerIsDone
            let gone = diagnosis ?? DiagnosisCard(.clientGone(after: load.exchange.bytesReceived))
            record(
                load, verdict: isDone ? load.exchange.passVerdict : .failed, diagnosis: isDone ? nil : gone, on: link)
        }
        board.waiting.removeAll()
        if board.isConnecting { effect(.abandonConnect) }
        if let shaking = board.shaking { effect(.closeOrigin(shaking)) }
        board.shaking = nil
        for link in board.links {
            link.writeFrames(loop.scratch, limit: Int.max)
            board.remove(link)
            giveBack(link)
        }
        board.machine.abandon()
    }
}
