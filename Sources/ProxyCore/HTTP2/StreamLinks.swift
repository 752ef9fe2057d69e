import ATSPolicy
import Bytes
import HTTP2Engine
import HTTPWire
import Records
import TLSEngine

/// Chooses, acquires and loses the links for the loads of an HTTP/2 client.
final class StreamLinks {
    let context: SessionContext
    let tunnel: Tunnel
    /// The client's connection. Its settings allow only features that its origin allows.
    private unowned let client: HTTP2Machine
    private let loads: StreamLoads
    private var first: OriginLink?
    private let links: LinkSet
    /// Loads without a link, oldest first.
    // Unchecked: loads are only compared and moved. Other code runs after the list has changed.
    @exclusivity(unchecked) private var waiting: [StreamLoad] = []
    private var acquisition: LinkAcquisition?
    /// Request bodies that no link carries yet, in bytes. Unchecked: a number that is only added to.
    @exclusivity(unchecked) var earlyBytes = 0

    init(
        _ context: SessionContext, in tunnel: Tunnel, client: HTTP2Machine, loads: StreamLoads, first link: OriginLink?
    ) {
        self.context = context
        self.tunnel = tunnel
        self.client = client
        self.loads = loads
        links = LinkSet(context)
        first = link
    }

    func begin() {
        guard let link = first else { return }
        first = nil
        add(link)
    }

    /// Bytes of request bodies that wait for a link or for an origin's windows.
    var queuedBytes: Int { earlyBytes + links.queuedBytes }

    func setShortOfMemory(_ isShort: Bool) { links.setShortOfMemory(isShort) }

    var isHandshaking: Bool { acquisition?.isHandshaking ?? false }

    /// Starts a load on a link, or queues it for one.
    func carry(_ load: StreamLoad) {
        if waiting.isEmpty, put(load) { return }
        waiting.append(load)
        serveWaiting()
    }

    func serveWaiting() {
        while let load = waiting.first {
            guard put(load) else { return wantLink(for: load) }
            waiting.removeFirst()
        }
    }

    /// Starts a load on a suitable link, or answers it. Returns false if it must wait for a link.
    private func put(_ load: StreamLoad) -> Bool {
        guard case .wantsLink = load.readmit(in: tunnel) else { return true }
        for link in links.all where link.isGood(for: load.load.ruled) {
            guard let http2 = link.http2 else {
                guard links.bridge(on: link) == nil else { continue }
                bridge(load, over: link)
                return true
            }
            guard http2.canOpenStream else { continue }
            // An origin that has not announced RFC 8441 on this connection gets no extended CONNECT.
            if load.request.protocolName != nil, !http2.peerAllowsConnectProtocol {
                guard http2.hasPeerSettings, http2.state == .alive else { break }
                refuseExtendedConnect(load, on: link)
                return true
            }
            guard let stream = http2.open(load.request, handler: load) else { continue }
            link.noteLogin(in: load.request.head.fields)
            context.begin(load.load, on: link)
            load.begin(on: .stream(stream, link))
            return true
        }
        return false
    }

    private func bridge(_ load: StreamLoad, over link: OriginLink) {
        // An extended CONNECT cannot be translated to HTTP/1.1 here.
        guard load.request.protocolName == nil else { return refuseExtendedConnect(load, on: link) }
        let bridge = HTTP1Bridge(load, over: link, context)
        links.set(bridge, on: link)
        bridge.begin()
    }

    /// Resets the stream so that the client retries with HTTP/1.1. Source: RFC 9113 section 7.
    private func refuseExtendedConnect(_ load: StreamLoad, on link: OriginLink) {
        load.client.reset(.http11Required)
        load.file(.failed, RecordedDiagnosis(.noExtendedConnect), on: link)
    }

    /// Removes a load from its link or from the queue; resets the origin's stream if it has not finished.
    func release(_ load: StreamLoad) {
        switch load.carrier {
        case .none: waiting.removeAll { $0 === load }
        case .stream(let stream, _):
            stream.handler = nil
            if !stream.isClosed { stream.reset(.cancel) }
        case .bridge(let bridge):
            // A link with an unfinished response cannot carry another load.
            links.drop(bridge.link)
        }
        load.leaveCarrier()
    }

    /// Handles the end of an origin's stream.
    func streamClosed(_ load: StreamLoad, _ end: HTTP2StreamEnd) {
        if case .wantsLink = load.originStreamEnded(end) { carry(load) }
    }

    /// Orders a link if one more can help.
    private func wantLink(for load: StreamLoad) {
        guard acquisition == nil else { return }
        links.dropOutdated()
        let ruled = load.load.ruled
        let fit = links.all.filter { $0.isGood(for: ruled) }
        // A link at its stream limit will have a free stream soon; a link after GOAWAY never will.
        if fit.contains(where: { $0.http2?.state == .alive }) { return }
        // HTTP/1.1 gets a few connections, as in browsers.
        guard fit.count(where: { $0.http2 == nil }) < Self.http1LinksPerClient else { return }
        let acquisition = LinkAcquisition(
            context, in: tunnel, under: ruled, dialing: tunnel.addressToDial ?? ruled.permit)
        self.acquisition = acquisition
        // A cleartext link may have carried HTTP/1.1 before, and its origin expects more of that.
        acquisition.order(mayReuse: ruled.target.scheme == .https)
    }

    func connected(_ link: OriginLink) {
        guard let acquisition else { return context.giveBack(link) }
        acquired(acquisition.connected(link))
    }

    func dialFailed(_ failure: NetworkFailure) {
        if let acquisition { acquired(acquisition.dialFailed(failure)) }
    }

    func timedOut() {
        if let acquisition { acquired(acquisition.timedOut()) }
    }

    private func acquired(_ outcome: LinkAcquisition.Outcome) {
        switch outcome {
        case .going: return
        case .ready(let link):
            acquisition = nil
            return add(link)
        case .unreachable(let failure): failWaiting { $0.fail(context.unreachable(failure, for: $0.load)) }
        case .refused(let origin, let failure):
            // Loads with other demands may still get a link.
            let ruled = acquisition?.ruled
            failWaiting(where: { ruled?.isEquivalent(to: $0.ruled) == true }, { $0.refuse(origin, failure) })
        case .faulted(let fault): failWaiting { $0.fail(.fault(fault)) }
        case .outdated:
            acquisition = nil
            serveWaiting()
        }
    }

    private func failWaiting(where isMeant: (Load) -> Bool = { _ in true }, _ fail: (StreamLoad) -> Void) {
        acquisition = nil
        let failed = waiting.filter { isMeant($0.load) }
        waiting.removeAll { isMeant($0.load) }
        for load in failed { fail(load) }
        serveWaiting()
    }

    /// Adds a judged link, and starts waiting loads on it.
    private func add(_ link: OriginLink) {
        // A client that starts HTTP/2 in cleartext knows that its origin supports it. Source: RFC 9113 section 3.3.
        if !link.isSecured {
            do throws(HTTP2Failure) { try link.startHTTP2() } catch {
                context.drop(link)
                return failWaiting { $0.fail(.fault(.http2(error))) }
            }
        }
        links.add(link)
        if let http2 = link.http2 {
            http2.handler = self
            mirrorSettings(of: http2)
        }
        serveWaiting()
    }

    /// Source: RFC 8441 section 3.
    func mirrorSettings(of origin: HTTP2Machine) {
        if origin.peerAllowsConnectProtocol { client.allowConnectProtocol() }
    }

    func originSent(_ bytes: UnsafeRawBufferPointer, on link: OriginLink) {
        if let acquisition, acquisition.owns(link) {
            acquired(acquisition.originSent(bytes, on: link))
        } else if !links.has(link) {
            return
        } else if link.http2 != nil {
            readFrames(bytes, on: link)
        } else if let bridge = links.bridge(on: link) {
            settle(bridge.originSent(bytes), of: bridge)
        } else if !link.staysFit(after: bytes) {
            // Session tickets are allowed; a response without a request is not.
            links.drop(link)
        }
        serveWaiting()
    }

    private func readFrames(_ bytes: UnsafeRawBufferPointer, on link: OriginLink) {
        guard let http2 = link.http2 else { return }
        http2.ticks = context.now.ticks
        link.absorb(bytes)
        if case .failed = http2.state {
            lose(link)
        } else if let tls = link.tls, tls.state != .established {
            lose(link)
        } else if http2.state == .goingAway, http2.activeStreams == 0 {
            links.drop(link)
        }
    }

    func originEnded(_ link: OriginLink, reset: Bool) {
        if let acquisition, acquisition.owns(link) {
            acquired(acquisition.originEnded(link, reset: reset))
        } else if !links.has(link) {
            return
        } else if link.http2 != nil {
            lose(link)
        } else if let bridge = links.bridge(on: link) {
            settle(bridge.originEnded(reset: reset), of: bridge)
        } else {
            links.drop(link)
        }
        serveWaiting()
    }

    private func settle(_ outcome: HTTP1Bridge.Outcome, of bridge: HTTP1Bridge) {
        let link = bridge.link
        let load = bridge.stream
        switch outcome {
        case .going: return
        case .done:
            links.set(nil, on: link)
            if !link.isReusable { links.drop(link) }
        case .failed(let error):
            release(load)
            load.fail(error, on: link)
        case .lost(let reset):
            links.drop(link)
            load.leaveCarrier()
            if load.load.takeRetry(if: load.isRepeatable && load.load.mayRetry && !load.load.isFirstOnLink) {
                return carry(load)
            }
            load.fail(context.lost(load.load, on: link, reset: reset), on: link)
        }
    }

    /// Handles a lost link and its streams. If the connection failed with an HTTP/2 error, its streams have been closed
    /// already.
    private func lose(_ link: OriginLink) {
        let carried = loads.all.filter { $0.link === link }
        links.drop(link)
        for load in carried { streamClosed(load, .lost) }
        link.http2?.abandon()
    }

    func flushFrames(limit: Int, onlyWanting: Bool = false) {
        links.flushFrames(limit: limit, onlyWanting: onlyWanting)
    }

    func drained(_ link: OriginLink) { links.bridge(on: link)?.drained() }

    /// A link that held data back and whose outbox has room again.
    func awaited(below limit: Int) -> OriginLink? { links.awaited(below: limit) }

    /// True if a link could be given back while there is no load.
    var mayRest: Bool { links.all.contains { !$0.hasLogin } }

    /// Gives the links back; the next load takes one as a new client's would.
    func rest() { links.giveBack { !$0.hasLogin } }

    func end() {
        waiting.removeAll()
        acquisition?.cancel()
        acquisition = nil
        links.giveBack { _ in true }
    }

    /// The maximum number of HTTP/1.1 connections for one HTTP/2 client.
    private static let http1LinksPerClient = 6
}

extension StreamLinks: HTTP2Handler {
    func opened(_ request: HTTP2Request, _ stream: HTTP2Stream) {}

    func peerChangedSettings(_ machine: HTTP2Machine) {
        mirrorSettings(of: machine)
        serveWaiting()
    }

    func peerIsLeaving(_ machine: HTTP2Machine, code: UInt32) {}
}

/// The links of one HTTP/2 client that are up. A link of HTTP/2 carries many loads, a link of HTTP/1.1 a single one.
final class LinkSet {
    // Unchecked: lists searched by identity. Loops iterate over a copy, so a link may leave during its own turn.
    @exclusivity(unchecked) private(set) var all: [OriginLink] = []
    @exclusivity(unchecked) private var bridges: [ObjectIdentifier: HTTP1Bridge] = [:]
    private let context: SessionContext

    init(_ context: SessionContext) {
        self.context = context
    }

    func has(_ link: OriginLink) -> Bool { all.contains { $0 === link } }

    func add(_ link: OriginLink) { all.append(link) }

    /// The load that an HTTP/1.1 link carries at the moment.
    func bridge(on link: OriginLink) -> HTTP1Bridge? { bridges[ObjectIdentifier(link)] }

    func set(_ bridge: HTTP1Bridge?, on link: OriginLink) { bridges[ObjectIdentifier(link)] = bridge }

    /// Drops a link, unless the load that it carried has already dropped it.
    func drop(_ link: OriginLink) {
        guard has(link) else { return }
        forget(link)
        context.drop(link)
    }

    /// Drops links that were judged under an earlier policy and carry no load.
    func dropOutdated() {
        for link in all where link.ruled.map(context.isInForce) == false {
            if bridge(on: link) == nil, link.http2?.activeStreams ?? 0 == 0 { drop(link) }
        }
    }

    func giveBack(where isMeant: (OriginLink) -> Bool) {
        for link in all where isMeant(link) {
            link.writeFrames(context.loop.scratch, limit: Int.max)
            forget(link)
            context.giveBack(link)
        }
    }

    /// Bytes of request bodies that wait for the origins' windows.
    var queuedBytes: Int { all.reduce(0) { $0 + ($1.http2?.memory.queuedBytes ?? 0) } }

    /// Stops origins from sending more than their client takes, or allows it again.
    func setShortOfMemory(_ isShort: Bool) {
        for link in all { link.http2?.setShortOfMemory(isShort) }
    }

    private func forget(_ link: OriginLink) {
        all.removeAll { $0 === link }
        bridges[ObjectIdentifier(link)] = nil
        link.http2?.handler = nil
    }

    func flushFrames(limit: Int, onlyWanting: Bool) {
        for link in all where !onlyWanting || link.http2?.wantsToWrite == true {
            link.writeFrames(context.loop.scratch, limit: limit)
        }
    }

    /// A link that held data back and whose outbox has room again.
    func awaited(below limit: Int) -> OriginLink? {
        all.first { link in
            (link.isHeldBack || bridge(on: link)?.holdsClient == true) && link.outbox.count < limit
        }
    }
}

/// One load of an HTTP/2 client, translated to a connection of HTTP/1.1.
final class HTTP1Bridge {
    enum Outcome {
        case going
        /// The load is over. The link may carry another one if it still `isReusable`.
        case done
        case failed(ErrorAnswer)
        /// The link was lost before the response was complete.
        case lost(reset: Bool)
    }

    let link: OriginLink
    let stream: StreamLoad
    private let carrier: HTTP1Carrier
    private let context: SessionContext
    /// The client's bytes that are still in the link's outbox; its window stays closed for them.
    private var owed = 0

    init(_ stream: StreamLoad, over link: OriginLink, _ context: SessionContext) {
        self.stream = stream
        self.link = link
        self.context = context
        carrier = HTTP1Carrier(load: stream.load, link: link, context: context)
    }

    func begin() {
        carrier.sendHead(upgrade: .none)
        stream.begin(on: .bridge(self))
        if stream.request.endsStream { carrier.endBody() }
    }

    func sendBody(_ bytes: UnsafeRawBufferPointer) {
        carrier.sendBody(bytes)
        owed += bytes.count
        drained()
    }

    func endBody() { carrier.endBody() }

    /// True if the client's window waits for the origin.
    var holdsClient: Bool { owed > 0 }

    /// Opens the client's window for the bytes that were sent to the origin.
    func drained() {
        guard owed > 0, link.outbox.count < context.highWaterBytes else { return }
        stream.client.consume(owed)
        owed = 0
    }

    func originSent(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        if let tls = link.tls {
            tls.receive(bytes, plaintext: link.plaintext)
        } else {
            link.plaintext.append(bytes)
        }
        stream.noteMove()
        let outcome = read()
        if case .going = outcome, let tls = link.tls, tls.state != .established {
            return originEnded(reset: tls.state != .closed)
        }
        return outcome
    }

    /// The bytes that the client's stream may hold before the origin is paused. Little if all its streams hold much.
    private var limit: Int { stream.client.isShortOfMemory ? TLSMachine.recordBytes : context.highWaterBytes }

    private func read() -> Outcome {
        let (used, reading) = carrier.read(link.plaintext.bytes, for: self)
        link.plaintext.consume(used)
        link.plaintext.releaseIfEmpty()
        switch reading {
        case .going:
            // The client's stream is full: pause the origin.
            if stream.client.queuedBytes > limit { context.hold(link, .streamFull) }
            return .going
        case .whole: return finish()
        case .stopped: return .failed(context.malformed(.unaskedUpgrade, stream.load, on: link))
        case .malformed(let error): return .failed(context.malformed(.malformedAnswer(error), stream.load, on: link))
        }
    }

    private func finish() -> Outcome {
        let load = stream.load
        stream.answerEnded(trailers: load.answerTrailers)
        stream.file(load.passVerdict, on: link)
        stream.leaveCarrier()
        context.release(link, .streamFull)
        stream.stopRequest()
        if !load.requestIsWhole || !link.plaintext.isEmpty { link.isReusable = false }
        return .done
    }

    func originEnded(reset: Bool) -> Outcome {
        carrier.endsProperly(reset: reset) ? finish() : .lost(reset: reset)
    }

    /// Resumes the origin after the client's stream has sent part of the response.
    func clientTookAnswer() {
        if stream.client.queuedBytes < limit / 2 { context.release(link, .streamFull) }
    }
}

extension HTTP1Bridge: AnswerReader {
    func answerBegan(_ head: ResponseHead) -> Bool {
        guard head.status != 101 else { return false }
        stream.answerBegan(head, endsStream: head.framing == .none && !head.isInterim)
        return true
    }

    func answerBody(_ bytes: UnsafeRawBufferPointer) { stream.client.send(bytes) }
}
