import ATSPolicy
import Bytes
import HTTPWire
import Records
import TLSEngine
import Text

/// Every way in which a connection can end: by the client, by a deadline, by the gate.
extension ProxySession {
    func clientEnded() {
        client.hasEnded = true
        switch stage {
        case .exchange(let exchange):
            // A client may half-close after its request; it still wants the answer.
            if !exchange.requestIsDone { pumpRequest(exchange) }
        case .relay: relayClientEnded()
        case .streams: close()
        // Requests that came before are still answered; without one, the connection is over.
        case .waiting: wantsRequest = true
        case .opening, .refused, .lingering: clientLost()
        case .closed: return
        }
    }

    func clientLost() {
        switch stage {
        case .exchange(let exchange): clientVanished(exchange)
        case .opening(.clientHandshake): clientRejectedLeaf()
        case .waiting, .opening, .relay, .streams, .refused, .lingering, .closed: close()
        }
    }

    /// The client's TLS broke: before any load, it did not like our leaf.
    func clientRejectedLeaf() {
        if case .exchange(let exchange) = stage { return clientVanished(exchange) }
        guard let scope, scope.records == 0, !scope.isRecorded else { return close() }
        var alert: UInt8?
        if case .failed(.alertReceived(let number))? = client.tls?.state { alert = number }
        scope.verdict = .failed
        scope.diagnosis = DiagnosisCard(.clientRejectedLeaf(alert: alert, host: scope.target.host))
        recordTunnel(refusal: nil)
        close()
    }

    func deadlinePassed(_ deadline: Deadline) {
        guard armed == deadline else { return }
        armed = nil
        switch (deadline, stage) {
        case (.head, .waiting) where !client.inbox.isEmpty:
            answer(
                408, to: nil, title: "The request did not arrive in time",
                sentences: ["Its head was not complete within \(loop.policy.limits.head)."], ends: true)
            linger()
        case (.handshake, .streams(let board)):
            if let shaking = board.shaking { handshakeEnded(handshakeBroke(.timeout, of: shaking), on: shaking, board) }
            settleStreams(board)
        case (.answer, .streams(let board)):
            streamDeadlinePassed(board)
            settleStreams(board)
        case (.idle, .streams(let board)): leaveStreams(board)
        case (.firstBytes, .opening(.awaitingFirstBytes)): relayOutside()
        case (.handshake, .opening(.readingHello)): helloWasUnreadable()
        case (.handshake, .opening(.originHandshake)): originHandshakeBroke(.timeout)
        case (.handshake, .opening(.judgingPassthrough)), (.handshake, .opening(.diagnosing)): probeFailed(.timeout)
        case (.answer, .exchange(let exchange)), (.handshake, .exchange(let exchange)),
            (.idle, .exchange(let exchange)):
            if waitsForClient(exchange) {
                return fail(
                    exchange, status: 408, title: "The request did not arrive in time",
                    diagnosis: DiagnosisCard(.clientStalled(loop.policy.limits.idle)))
            }
            let verdict = RuleBook.standard.judge(NetworkFailure.timeout, target: exchange.target)
            fail(
                exchange, status: 504, title: "The origin did not answer in time",
                diagnosis: diagnosis(verdict, target: exchange.target, path: exchange.pathText),
                failure: .network(.timeout))
        default: close()
        }
    }

    /// It is the client that reads or sends no further, not the origin.
    private func waitsForClient(_ exchange: Exchange) -> Bool {
        guard exchange.isSent, let link else { return false }
        if exchange.status != nil, link.isPaused { return true }
        let waitsForContinue = exchange.head.expectsContinue && exchange.bytesSent == 0
        return !exchange.requestIsDone && link.outbox.isEmpty && !waitsForContinue
    }

    /// Finish what is in flight, start nothing new.
    func drain() {
        isDraining = true
        switch stage {
        case .waiting: close()
        case .exchange(let exchange): if exchange.status == nil { exchange.closesClient = true }
        case .streams(let board): drainStreams(board)
        case .opening, .relay, .refused, .lingering, .closed: return
        }
    }

    /// The gate stops: whatever is unfinished is recorded as it stands.
    func stop() {
        switch stage {
        case .exchange(let exchange): record(exchange, verdict: .failed, diagnosis: DiagnosisCard(.gateStopped))
        case .opening:
            scope?.verdict = .failed
            scope?.diagnosis = DiagnosisCard(.gateStopped)
        case .streams(let board): endStreams(board, DiagnosisCard(.gateStopped))
        case .waiting, .relay, .refused, .lingering, .closed: break
        }
        close()
    }

    /// Ends the session: what it still holds is given back, and a tunnel that carried no load is recorded itself.
    ///
    /// - Parameter isCut: the answer is not whole, so the client must not be told of a proper end.
    func close(isCut: Bool = false) {
        // Where only the end of the connection ends the body, a proper end would pass for the whole of it.
        var needsReset = false
        switch stage {
        case .closed: return
        case .waiting: if let link { giveBack(link) }
        case .opening(let phase):
            if let scope, scope.diagnosis == nil, scope.verdict == .allowed {
                scope.verdict = .failed
                scope.diagnosis = DiagnosisCard(.clientGone(after: 0))
            }
            if phase.isDialing { effect(.abandonConnect) }
        case .exchange(let exchange):
            if !exchange.isSent { effect(.abandonConnect) }
            needsReset = isCut && exchange.answerFraming == .untilClose && client.tls == nil
        case .streams(let board): endStreams(board)
        case .relay(.upgrade(let exchange)): record(exchange, verdict: exchange.passVerdict)
        case .relay(.tunnel), .refused, .lingering: break
        }
        recordTunnel(refusal: nil)
        if let probe { effect(.closeOrigin(probe)) }
        probe = nil
        dropLink()
        if !isCut { client.tls?.sendClose() }
        stage = .closed
        disarm()
        effect(needsReset ? .resetClient : .closeClient)
    }

    /// Everything has been said: let the client read it before the connection goes, so that no reset eats it.
    func linger() {
        dropLink()
        client.tls?.sendClose()
        stage = .lingering
        arm(.linger)
        // What it still sends is read and thrown away, and its end must be seen.
        resumeClient()
        effect(.finishClientWriting)
        if client.hasEnded { close() }
    }

    /// Keeps a link for other loads if it is fit for them.
    func giveBack(_ link: OriginLink) {
        let isReady = link.key.offer == nil || link.isSecured(under: system)
        link.hasRested = true
        let isQuiet = link.http2 != nil ? link.mayKeepStreams : link.outbox.isEmpty && link.plaintext.isEmpty
        if isReady, link.mayKeep, !link.isPrivate, !link.isPaused, isQuiet {
            effect(.keepOrigin(link))
        } else {
            effect(.closeOrigin(link))
        }
        if self.link === link { self.link = nil }
    }

    func dropLink() {
        if let link { effect(.closeOrigin(link)) }
        link = nil
    }
}
