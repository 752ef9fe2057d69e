import Bytes
import HTTP2Engine

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

    func giveBackAll() {
        for link in all {
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
