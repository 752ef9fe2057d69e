import ATSPolicy
import Bytes
import HTTPWire
import Records

/// The answers to a client that requested a tunnel. A redirected client gets none.
extension LoadEntrance {
    /// The ending of a load whose tunnel is refused.
    var refusedEnding: GateEnding {
        switch self {
        case .proxy: .refusedTunnel
        case .socks: .refusedSOCKS
        case .transparent, .wireguard, .capture: .close
        }
    }

    /// Confirms to the client that its tunnel is open.
    func confirm(to client: ClientStream) {
        switch self {
        case .proxy: client.compose { $0.append("HTTP/1.1 200 Connection established\r\nVia: 1.1 atsgate\r\n\r\n") }
        case .socks: client.send(SOCKSReply.succeeded.bytes)
        case .transparent, .wireguard, .capture: break
        }
    }

    /// Refuses the tunnel; no data follows.
    func refuse(
        to client: ClientStream, _ status: Int, answering head: RequestHead, title: String, sentences: [String],
        failure: LoadFailure? = nil
    ) {
        switch self {
        case .proxy:
            let page = GatePage(status: status, title: title, sentences: sentences, wantsJSON: head.wantsJSON)
            client.write(page, answering: head, ends: true)
        case .socks: client.send(SOCKSReply(status: status, failure: failure).bytes)
        case .transparent, .wireguard, .capture: break
        }
    }

    /// Refuses the tunnel because its origin could not be reached.
    func refuse(
        to client: ClientStream, _ failure: NetworkFailure, answering head: RequestHead, _ diagnosis: RecordedDiagnosis
    ) {
        refuse(
            to: client, failure.gatewayStatus, answering: head, title: failure.title,
            sentences: diagnosis.findings.map(\.observed), failure: .network(failure))
    }
}

extension ClientStream {
    /// Writes one of the gate's own answers.
    ///
    /// - Parameters:
    ///   - head: the request; nil if it could not be read.
    ///   - ends: the connection ends with this answer.
    func write(_ page: GatePage, answering head: RequestHead?, ends: Bool) {
        compose { page.write(to: $0, answering: head, ends: ends) }
    }
}

extension RequestHead {
    /// True if the client accepts JSON and not HTML, as API clients do.
    var wantsJSON: Bool {
        guard let accept = fields.value(of: .accept)?.lowercased() else { return false }
        return accept.contains("json") && !accept.contains("text/html")
    }
}
