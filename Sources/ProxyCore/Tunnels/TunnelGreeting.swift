import ATSPolicy
import Bytes
import HTTPWire
import Records

/// How a client asked for its tunnel, and is answered: in HTTP, in SOCKS, or not in words.
enum TunnelGreeting {
    case http
    case socks
    /// It knows of none: its connection was redirected here.
    case transparent

    /// How a client is shown that there is no tunnel.
    var refusedEnding: GateEnding {
        switch self {
        case .http: .refusedTunnel
        case .socks: .refusedSOCKS
        case .transparent: .close
        }
    }

    /// Tells the client that its tunnel stands.
    func confirm(to client: ClientStream) {
        switch self {
        case .http: client.compose { $0.append("HTTP/1.1 200 Connection established\r\nVia: 1.1 atsgate\r\n\r\n") }
        case .socks: client.send(SOCKSReply.succeeded.bytes)
        case .transparent: break
        }
    }

    /// Tells it that there will be none; nothing more is said after that.
    func refuse(
        to client: ClientStream, _ status: Int, answering head: RequestHead, title: String, sentences: [String],
        failure: LoadFailure? = nil
    ) {
        switch self {
        case .http:
            let page = GatePage(status: status, title: title, sentences: sentences, wantsJSON: head.wantsJSON)
            client.write(page, answering: head, ends: true)
        case .socks: client.send(SOCKSReply(status: status, failure: failure).bytes)
        case .transparent: break
        }
    }

    /// The same where the origin could not be reached.
    func refuse(
        to client: ClientStream, _ failure: NetworkFailure, answering head: RequestHead, _ diagnosis: RecordedDiagnosis
    ) {
        refuse(
            to: client, failure.gatewayStatus, answering: head, title: failure.title,
            sentences: diagnosis.findings.map(\.observed), failure: .network(failure))
    }
}

extension ClientStream {
    /// Writes an answer of the gate's own.
    ///
    /// - Parameters:
    ///   - head: the request; nil when it could not be read.
    ///   - ends: the connection ends with this answer.
    func write(_ page: GatePage, answering head: RequestHead?, ends: Bool) {
        compose { page.write(to: $0, answering: head, ends: ends) }
    }
}

extension RequestHead {
    /// API clients ask for JSON; everyone else gets the page.
    var wantsJSON: Bool {
        guard let accept = fields.value(of: .accept)?.lowercased() else { return false }
        return accept.contains("json") && !accept.contains("text/html")
    }
}
