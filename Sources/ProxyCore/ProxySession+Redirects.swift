import ATSPolicy
import HTTPWire
import Records

/// Which load sent the client on: every hop is judged alone, and its record names the one before.
extension ProxySession {
    /// The URL of the load that redirected this client to `target` a moment ago.
    ///
    /// - Parameter path: nil for a tunnel that shows none.
    func parent(of target: LoadTarget, path: String?, at ticks: Int64) -> String? {
        guard loop.redirects.isFresh(at: ticks) else { return nil }
        return loop.redirects.parent(of: target, path: path, client: place.host, ticks: ticks)
    }

    /// Takes note of where an answer sends its client. Source: RFC 9110 sections 10.2.2, 15.4.
    func noteRedirect(_ head: ResponseHead, of exchange: Exchange) {
        guard 300..<400 ~= head.status, head.status != 304, let location = head.fields.value(of: .location) else {
            return
        }
        let here = LoadPlace(target: exchange.target, path: exchange.pathText)
        guard let there = LoadPlace(location: location, from: here) else { return }
        loop.redirects.note(
            there, from: here.target.origin + here.path, client: place.host, ticks: now.ticks)
    }
}
