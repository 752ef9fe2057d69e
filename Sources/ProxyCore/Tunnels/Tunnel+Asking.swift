import ATSPolicy
import HTTPWire
import Records
import Text

extension Tunnel {
    /// The tunnel that a client asks for; nil where it gets none, and was told why.
    static func asked(by head: RequestHead, _ greeting: TunnelGreeting, _ context: SessionContext) -> Tunnel? {
        func refuse(_ status: Int, _ title: String, _ sentences: [String]) -> Tunnel? {
            greeting.refuse(to: context.client, status, answering: head, title: title, sentences: sentences)
            return nil
        }
        guard case .authority(let host, let port) = head.target else {
            return refuse(400, "Malformed CONNECT", ["CONNECT needs HOST:PORT."])
        }
        let target = LoadTarget(scheme: .https, host: host, port: port)
        let ruled = context.ruled(on: target)
        func settle(_ verdict: Verdict, _ status: Int, _ title: String, _ finding: Finding) -> Tunnel? {
            let (load, _) = context.admit(head, to: target, in: nil)
            load.beginAnswer(status: status)
            defer {
                LoadRecorder(context: context, tunnel: nil).file(load, verdict, diagnosis: RecordedDiagnosis(finding))
            }
            return refuse(status, title, [finding.observed])
        }
        if ruled.isOwn { return settle(.failed, 508, "This is the gate itself", .loop(target)) }
        let listing = ruled.listing(in: context.loop.policy)
        if listing.isPrivateRelay {
            return settle(.outside, 502, "No such host", .privateRelay(host))
        }
        guard ruled.isPermit else {
            return refuse(403, "Not permitted", ["The policy denies this connection."])
        }
        return Tunnel(
            ruled: ruled, opened: context.now, passthrough: context.passthrough(of: host, listing),
            agent: context.recordedClient.userAgent)
    }
}

extension SessionContext {
    /// A tunnel to the gate's own pages is asked for.
    func asksForOwnPages(_ head: RequestHead) -> Bool {
        guard loop.ownSite != nil, case .authority(let host, _) = head.target else { return false }
        if let original = place.entrance.original { return original.address == OwnSite.address }
        return HostGrammar.normalized(host) == OwnSite.name
    }
}
