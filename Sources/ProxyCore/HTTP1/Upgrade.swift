import HTTP2Engine
import HTTPWire
import Records

/// The gate's handling of requests to change to a protocol other than WebSocket.
public enum OtherUpgrades: String, Sendable, CaseIterable {
    /// Forwards them; once the origin agrees, bytes are relayed unread.
    case relay
    /// Does not forward them. In HTTP/1.1 the request goes without the upgrade, as RFC 9110 section 7.8 allows; in HTTP/2 the
    /// gate answers 501, as RFC 9220 section 3 requires for a protocol that is not supported.
    case refuse
}

/// The protocols that a load offers to change to.
struct Upgrade {
    /// In lower case, without versions.
    private let offered: [String]
    private let hasWebSocketKey: Bool

    /// nil if nothing is offered, or nothing that may be forwarded. HTTP/2 is never offered in this way (RFC 9113 section 3.1
    /// removed it), and a blind relay would hide its loads from the rules.
    init?(_ head: RequestHead) {
        offered = head.upgradeProtocols
        hasWebSocketKey = head.fields.value(named: "sec-websocket-key") != nil
        guard !offered.isEmpty, head.framing == .none, !offered.contains("h2c") else { return nil }
    }

    /// The protocol of an extended CONNECT; nil for other requests. Source: RFC 8441 section 4.
    init?(_ request: HTTP2Request) {
        guard let name = request.protocolName else { return nil }
        offered = [name]
        hasWebSocketKey = true
    }

    /// The protocols that the origin may choose from.
    func forwarded(under others: OtherUpgrades) -> [String] {
        switch others {
        case .relay: offered
        case .refuse: offered.filter(isWebSocket)
        }
    }

    /// True if every offered protocol is forwarded, so that the fields can stay as they are.
    func isForwardedWhole(under others: OtherUpgrades) -> Bool { others == .relay || offered.allSatisfy(isWebSocket) }

    /// The protocol of a load that changes to `name`; nil if it stays that of HTTP.
    func wireProtocol(of name: String) -> RecordedRequest.WireProtocol? { isWebSocket(name) ? .websocket : nil }

    /// True if the load offers WebSocket and nothing else.
    var isWebSocket: Bool { offered.allSatisfy(isWebSocket) }

    /// The record's remark about protocols other than WebSocket, which has a field of its own.
    func remark(under others: OtherUpgrades) -> RecordedDiagnosis? {
        let names = offered.filter { !isWebSocket($0) }
        return names.isEmpty ? nil : RecordedDiagnosis(.otherUpgrade(names.joined(separator: ", "), others))
    }

    /// A WebSocket needs a key, without which no server may agree. Source: RFC 6455 section 4.2.1.
    private func isWebSocket(_ name: String) -> Bool { name == "websocket" && hasWebSocketKey }
}
