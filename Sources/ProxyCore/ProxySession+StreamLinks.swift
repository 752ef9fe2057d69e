import ATSPolicy
import Bytes
import HTTP2Engine
import HTTPWire
import Records
import TLSEngine

/// Links under the loads of an HTTP/2 client: found, dialed, shaken hands with, judged, lost.
extension ProxySession {
    /// Puts a load on a link, or in line for one.
    func carry(_ load: StreamLoad, _ board: Switchboard) {
        if board.waiting.isEmpty, put(load, board) { return }
        board.waiting.append(load)
        serveWaiting(board)
    }

    func serveWaiting(_ board: Switchboard) {
        while let load = board.waiting.first {
            guard put(load, board) else { return wantLink(for: load, board) }
            board.waiting.removeFirst()
        }
    }

    /// Returns whether the load has been dealt with.
    private func put(_ load: StreamLoad, _ board: Switchboard) -> Bool {
        for link in board.links where isFit(link) {
            guard let http2 = link.http2 else {
                guard link.line == nil else { continue }
                putOnLine(load, link)
                return true
            }
            guard http2.canOpenStream else { continue }
            // An origin that does not promise RFC 8441, on this connection, gets no extended CONNECT.
            if load.request.protocolName != nil, !http2.peerAllowsConnectProtocol {
                guard http2.hasPeerSettings, http2.state == .alive else { break }
                refuseExtendedConnect(load, on: link)
                return true
            }
            guard let stream = http2.open(load.request, handler: load) else { continue }
            took(load, on: link)
            load.lane = .stream(stream, link)
            load.releaseEarly()
            if load.exchange.requestIsDone, !load.request.endsStream { load.endRequest() }
            return true
        }
        return false
    }

    /// The client comes again in HTTP/1.1. Source: RFC 9113 section 7.
    func refuseExtendedConnect(_ load: StreamLoad, on link: OriginLink) {
        load.client.reset(.http11Required)
        record(load, verdict: .failed, diagnosis: DiagnosisCard(.noExtendedConnect), on: link)
    }

    /// A link takes up a load: the first one pays for its making.
    func took(_ load: StreamLoad, on link: OriginLink) {
        load.exchange.isFirstOnLink = link.loads == 0 && !link.hasRested
        link.loads += 1
    }

    private func isFit(_ link: OriginLink) -> Bool {
        link.tls == nil ? scope?.target.scheme == .http : link.isSecured(under: system)
    }

    /// Orders a link where one more can help.
    private func wantLink(for load: StreamLoad, _ board: Switchboard) {
        guard !board.isConnecting, board.shaking == nil, let permit = load.exchange.permit else { return }
        let fit = board.links.filter(isFit)
        // A link at the limit of its streams frees one soon, and one that the origin has said GOAWAY on never does.
        if fit.contains(where: { $0.http2?.state == .alive }) { return }
        // HTTP/1.1 gets a few lines, as browsers do.
        guard fit.count(where: { $0.http2 == nil }) < Self.linesPerClient else { return }
        board.isConnecting = true
        // A link in the clear may have been used for HTTP/1.1 before, and its origin expects more of that.
        effect(.connect(permit, .main, mayReuse: permit.target.scheme == .https && !board.hasMissed))
    }

    func streamLinkConnected(_ link: OriginLink, _ board: Switchboard) {
        board.isConnecting = false
        guard let scope else { return close() }
        if scope.target.scheme == .http {
            streamLinkReady(link, board)
        } else if link.isSecured(under: system), suitsClient(link) {
            streamLinkReady(link, board)
        } else if link.tls != nil {
            // What came out of the pool does not suit: the next one is made new.
            board.hasMissed = true
            giveBack(link)
            serveWaiting(board)
        } else {
            board.shaking = link
            if !beginTLS(on: link, permit: scope.permit, offer: shakingOffer(scope)) {
                handshakeEnded(handshakeBroke(.library(0), of: link), on: link, board)
            }
        }
        settleStreams(board)
    }

    /// A link is up and judged: waiting loads go on it.
    func streamLinkReady(_ link: OriginLink, _ board: Switchboard) {
        // A client that opens HTTP/2 in the clear knows that its origin speaks it. Source: RFC 9113 section 3.3.
        if link.tls == nil { link.startHTTP2() }
        board.hasMissed = false
        board.add(link)
        serveWaiting(board)
    }

    func streamDialFailed(_ failure: NetworkFailure, _ board: Switchboard) {
        board.isConnecting = false
        let waiting = board.waiting
        board.waiting.removeAll()
        for load in waiting {
            let verdict = RuleBook.standard.judge(failure, target: load.exchange.target)
            fail(
                load, status: failure.gatewayStatus, title: "The origin can not be reached",
                diagnosis: diagnosis(verdict, target: load.exchange.target, path: load.exchange.pathText))
        }
        settleStreams(board)
    }

    func originSentFrames(_ bytes: UnsafeRawBufferPointer, on link: OriginLink, _ board: Switchboard) {
        if link === board.shaking {
            handshakeEnded(moveHandshake(of: link, bytes), on: link, board)
        } else if !board.has(link) {
            return
        } else if let http2 = link.http2 {
            http2.ticks = now.ticks
            link.absorb(bytes)
            if case .failed(let failure) = http2.state {
                lose(link, board, .brokenAnswers(failure))
            } else if let tls = link.tls, tls.state != .established {
                lose(link, board, nil)
            } else if http2.state == .goingAway, http2.activeStreams == 0 {
                retire(link, board)
            }
        } else {
            lineSent(bytes, on: link, board)
        }
        serveWaiting(board)
        settleStreams(board)
    }

    /// A handshake that a switchboard waits for has gone on, or ended.
    func handshakeEnded(_ handshake: LinkHandshake, on link: OriginLink, _ board: Switchboard) {
        if case .going = handshake { return }
        board.shaking = nil
        if case .secured = handshake { return streamLinkReady(link, board) }
        effect(.closeOrigin(link))
        if case .stumbled = handshake {
            scope?.resumes = false
            board.hasMissed = true
            return serveWaiting(board)
        }
        let waiting = board.waiting
        board.waiting.removeAll()
        for load in waiting {
            let target = load.exchange.target
            let path = load.exchange.pathText
            switch handshake {
            case .turnedBad(let verdict, let facts):
                let diagnosis = diagnosis(verdict, target: target, path: path, facts: facts)
                answer(refusal: diagnosis, to: load)
                record(load, verdict: .blocked, refusal: .page, diagnosis: diagnosis, on: link)
            case .broke(let verdict):
                fail(
                    load, status: 502, title: "The origin's TLS handshake failed",
                    diagnosis: diagnosis(verdict, target: target, path: path))
            case .going, .secured, .stumbled: continue
            }
        }
    }

    func streamOriginEnded(_ link: OriginLink, reset: Bool, _ board: Switchboard) {
        if link === board.shaking {
            link.tls?.inputEnded(reset: reset)
            handshakeEnded(handshakeBroke(on: link, reset: reset), on: link, board)
        } else if !board.has(link) {
            return
        } else if link.http2 == nil {
            lineEnded(link, reset: reset, board)
        } else {
            lose(link, board, nil)
        }
        serveWaiting(board)
        settleStreams(board)
    }

    /// The link is gone, and with it the streams that it carried.
    func lose(_ link: OriginLink, _ board: Switchboard, _ finding: Finding?) {
        board.remove(link)
        effect(.closeOrigin(link))
        for load in board.loads where load.link === link {
            if let finding {
                fail(load, status: 502, title: finding.title, diagnosis: DiagnosisCard(finding))
            } else {
                originStreamClosed(load, .lost)
            }
        }
        link.http2?.abandon()
    }

    /// The origin takes no more streams here, and the last of them is over.
    private func retire(_ link: OriginLink, _ board: Switchboard) {
        board.remove(link)
        effect(.closeOrigin(link))
    }

    /// Takes a load off what carries it, or out of the line; an origin that has not finished is told to stop.
    func leaveLane(of load: StreamLoad) {
        guard case .streams(let board) = stage else { return }
        switch load.lane {
        case .none: board.waiting.removeAll { $0 === load }
        case .stream(let stream, _):
            stream.handler = nil
            if !stream.isClosed { stream.reset(.cancel) }
        case .line(let link):
            link.line = nil
            // Half an answer is of no use to another load.
            board.remove(link)
            effect(.closeOrigin(link))
        }
        load.lane = .none
    }

    /// Connections of HTTP/1.1 at most under one HTTP/2 client.
    private static let linesPerClient = 6
}
