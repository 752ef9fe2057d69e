/// A machine that passes bytes between its client and one link: each side is held back while the other's outbox is full.
protocol RelayingMachine: SessionMachine {
    var link: OriginLink { get }
}

extension RelayingMachine {
    func clientDrained() -> Transition {
        context.release(link, .clientFull)
        return .stay
    }

    func originDrained(_ link: OriginLink) -> Transition {
        if link === self.link { context.releaseClient(.originFull) }
        return .stay
    }

    var awaitsClient: Bool { link.holds.contains(.clientFull) }
    var awaitedLink: OriginLink? { context.flow.client.contains(.originFull) ? link : nil }
}
