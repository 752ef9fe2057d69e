import ATSPolicy
import HTTPWire

/// What becomes of requests to change to a protocol other than WebSocket.
public enum OtherUpgrades: String, Sendable, CaseIterable {
    /// Passed on; once the origin agrees, bytes are relayed unread.
    case relay
    /// Not passed on: the origin answers in HTTP/1.1, as RFC 9110 section 7.8 lets it.
    case refuse
}

/// The protocol that a load may change to.
enum Upgrade {
    /// Source: RFC 6455 section 4.
    case webSocket
    case other

    /// nil when nothing is asked for, or nothing that is passed on. HTTP/2 is never asked for in this way (RFC 9113
    /// section 3.1 has dropped it), and as a blind relay it would hide its loads from the law.
    init?(_ head: RequestHead, others: OtherUpgrades) {
        let names = head.upgradeProtocols
        guard !names.isEmpty, head.framing == .none, !names.contains("h2c") else { return nil }
        if names.contains("websocket") {
            self = .webSocket
        } else if others == .relay {
            self = .other
        } else {
            return nil
        }
    }
}
