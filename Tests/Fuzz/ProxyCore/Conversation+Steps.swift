import ATSPolicy
import Bytes
import ProxyCore
import Records

extension Conversation {
    /// Performs one event of the script and everything that follows from it.
    func step(_ kind: UInt8, _ script: inout Script) {
        switch kind % 28 {
        case 0: clientSays(script.bytes())
        case 1, 2, 3: clientSays(Array((script.pick(of: Script.clientWords) ?? "").utf8))
        case 4: sendRaw(script.bytes())
        case 5, 6: appActs(script.byte() ?? 0, script.number(below: 8))
        case 7: appSaysGoodbye()
        case 8, 9: connectNew(&script)
        case 10: connectIdle()
        case 11: failDial(script.pick(of: Script.failures) ?? .refused)
        case 12: originSays(&script) { $0.bytes() }
        case 13, 14: originSays(&script) { Array(($0.pick(of: Script.originWords) ?? "").utf8) }
        case 15, 16: originActs(&script)
        case 17: originEnds(&script)
        case 18: if !isClientPaused { tell(.clientEnded) }
        case 19: tell(.clientLost)
        case 20: drainClient()
        case 21: drainOrigin(&script)
        case 22: passDeadline()
        case 23: tell(.draining)
        case 24: shed()
        case 25: pass(&script)
        case 26: moment.ticks += Int64(script.number(below: 256)) * 100_000
        default: loop.policy = setting.law(isStrict: script.number(below: 2) == 1)
        }
        carry()
    }

    /// Sends bytes past the client's own TLS.
    private func sendRaw(_ bytes: [UInt8]) {
        ledger.isBlurred = true
        clientSends(bytes)
    }

    private func connectNew(_ script: inout Script) {
        let kind = script.number(below: 16)
        guard let order = orders.first else { return }
        let target = order.permit.target
        let isPlain = target.scheme == .http || kind & 3 == 3
        let context = isPlain ? nil : Setting.origins[kind >> 2 & 3]
        let link = OriginLink(
            key: OriginLink.Key(order.permit, at: setting.place.original), address: "192.0.2.1:\(target.port)",
            outbox: ByteQueue(), connectTicks: 1_000)
        if kind == 8, target.scheme == .http { link.route = .parent("p.test:1", authorization: nil) }
        connect(Line(link, Peer(originUnder: context)), at: 0)
    }

    private func connectIdle() {
        for (index, order) in orders.enumerated() where order.mayReuse {
            let key = OriginLink.Key(order.permit, at: setting.place.original)
            guard let line = pool.last(where: { $0.link.key == key }) else { continue }
            return connect(line, at: index)
        }
    }

    private func originSays(_ script: inout Script, _ words: (inout Script) -> [UInt8]) {
        let line = script.pick(of: lines + pool)
        let bytes = words(&script)
        if line?.peer.isUp == false { ledger.isDisturbed = true }
        line?.peer.say(bytes)
    }

    private func originActs(_ script: inout Script) {
        let line = script.pick(of: lines + pool)
        let what = script.byte() ?? 0
        if what & 7 == 6 { ledger.isDisturbed = true }
        line?.peer.act(what, script.number(below: 8))
    }

    private func originEnds(_ script: inout Script) {
        let how = script.number(below: 4)
        guard let line = script.pick(of: lines) else { return }
        ledger.isDisturbed = true
        if how == 2 { return line.peer.sendGoAway() }
        guard !line.isPaused || how == 1 else { return }
        tell(.originEnded(line.link, reset: how == 1))
    }

    private func drainClient() {
        clientReads()
        if !isClosed { tell(.clientDrained) }
    }

    private func drainOrigin(_ script: inout Script) {
        guard let line = script.pick(of: lines) else { return }
        peerReads(line)
        if !isClosed { tell(.originDrained(line.link)) }
    }

    private func shed() {
        ledger.begunHeads += 1
        tell(.shed)
    }

    /// Passes bytes from socket to socket without the session.
    private func pass(_ script: inout Script) {
        let count = 1 + script.number(below: 256) * 10
        let waiting = script.number(below: 256) * 20
        if let link = session.clientSplice, !isClientPaused, lines.contains(where: { $0.link === link }) {
            return tell(.clientPassed(count: count, waiting: waiting))
        }
        for line in lines where !line.isPaused {
            guard let limit = session.originSpliceLimit(of: line.link), limit > 0 else { continue }
            return tell(.originPassed(line.link, count: min(count, limit), waiting: waiting))
        }
    }
}
