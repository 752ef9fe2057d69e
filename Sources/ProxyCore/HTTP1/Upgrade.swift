import ATSPolicy
import HTTP2Engine
import HTTPWire
import Records

/// What becomes of requests to change to a protocol other than WebSocket.
public enum OtherUpgrades: String, Sendable, CaseIterable {
    /// Passed on; once the origin agrees, bytes are relayed unread.
    case relay
    /// Not passed on. In HTTP/1.1 the request goes without it, as RFC 9110 section 7.8 lets it; in HTTP/2 the gate
    /// answers 501, as RFC 9220 section 3 asks of who does not support a protocol.
    case refuse
}

/// The protocol that a load asks to change to.
enum Upgrade {
    /// Source: RFC 6455 section 4, RFC 8441 section 5.
    case webSocket
    case other(name: String)

    /// nil when nothing is asked for, or nothing that is ever passed on. HTTP/2 is never asked for in this way (RFC 9113
    /// section 3.1 has dropped it), and as a blind relay it would hide its loads from the law.
    init?(_ head: RequestHead) {
        let names = head.upgradeProtocols
        guard !names.isEmpty, head.framing == .none, !names.contains("h2c") else { return nil }
        self = names.contains("websocket") ? .webSocket : .other(name: names.joined(separator: ", "))
    }

    /// The same for an extended CONNECT; nil when it is none. Source: RFC 8441 section 4.
    init?(_ request: HTTP2Request) {
        guard let name = request.protocolName else { return nil }
        self = name == "websocket" ? .webSocket : .other(name: name)
    }

    func passes(_ others: OtherUpgrades) -> Bool {
        switch self {
        case .webSocket: true
        case .other: others == .relay
        }
    }

    /// What the record says of it; WebSockets are told by their protocol.
    func remark(under others: OtherUpgrades) -> RecordedDiagnosis? {
        switch self {
        case .webSocket: nil
        case .other(let name): RecordedDiagnosis(.otherUpgrade(name, others))
        }
    }
}
