import ATSPolicy
import HTTPWire
import Records
import Text

/// The reason why a client gets no tunnel.
struct TunnelRefusal: Error {
    let status: Int
    let title: String
    let sentences: [String]
    /// The content of its record; nil if it is not recorded.
    var record: (target: LoadTarget, verdict: Verdict, finding: Finding)?

    init(_ status: Int, _ title: String, _ sentence: String) {
        self.status = status
        self.title = title
        sentences = [sentence]
    }

    /// - Parameter finding: also the text of the response.
    init(_ status: Int, _ title: String, recordedAs verdict: Verdict, of target: LoadTarget, _ finding: Finding) {
        self.init(status, title, finding.observed)
        record = (target, verdict, finding)
    }

    /// Answers the client, and files the record.
    func answer(_ head: RequestHead, _ context: SessionContext) {
        let load = record.map { context.admit(head, to: $0.target, in: nil).load }
        load?.beginAnswer(status: status)
        context.place.entrance.refuse(
            to: context.client, status, answering: head, title: title, sentences: sentences)
        if let load, let record {
            let recorder = LoadRecorder(context: context, tunnel: nil)
            recorder.file(load, record.verdict, diagnosis: RecordedDiagnosis(record.finding))
        }
    }
}

extension Tunnel {
    /// Makes the tunnel that a client requests, or throws the reason for refusing it.
    convenience init(askedBy head: RequestHead, _ context: SessionContext) throws(TunnelRefusal) {
        guard case .authority(let host, let port) = head.target else {
            throw TunnelRefusal(400, "Malformed CONNECT", "CONNECT needs HOST:PORT.")
        }
        let target = LoadTarget(scheme: .https, host: host, port: port)
        let ruled = context.ruled(on: target)
        if ruled.isOwn {
            throw TunnelRefusal(508, "This is the gate itself", recordedAs: .failed, of: target, .loop(target))
        }
        let listing = ruled.listing(in: context.loop.policy)
        if listing.isPrivateRelay {
            throw TunnelRefusal(502, "No such host", recordedAs: .outside, of: target, .privateRelay(host))
        }
        guard ruled.isPermit else {
            throw TunnelRefusal(403, "Not permitted", "The policy does not allow this connection.")
        }
        self.init(
            ruled: ruled, opened: context.now, passthrough: context.passthrough(of: host, listing),
            agent: context.recordedClient.userAgent)
    }
}

extension SessionContext {
    /// True if a client requests a tunnel to the gate's own pages.
    func asksForOwnPages(_ head: RequestHead) -> Bool {
        guard loop.ownSite != nil, case .authority(let host, _) = head.target else { return false }
        if let original = place.original { return original.address == OwnSite.address }
        return HostGrammar.normalized(host) == OwnSite.name
    }
}
