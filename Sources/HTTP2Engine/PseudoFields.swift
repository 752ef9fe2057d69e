internal import HTTPWire
import Text

/// The pseudo-header fields of a request to send. Source: RFC 9113 section 8.3.1, RFC 8441 section 4.
struct PseudoFields {
    private let method: String
    private let scheme: String
    private let authority: String
    private let path: String
    private let protocolName: String?
    /// CONNECT has neither scheme nor path (RFC 9113 section 8.5).
    private let isTunnel: Bool

    /// nil if a part is missing or contains an invalid byte.
    init?(_ request: HTTP2Request) {
        let head = request.head
        method = head.method.name
        protocolName = request.protocolName
        isTunnel = head.method == .connect && request.protocolName == nil
        switch head.target {
        case .absolute(let target):
            scheme = target.scheme
            authority = Self.authority(target.host, target.port)
            path = target.path
        case .authority(let host, let port):
            scheme = ""
            authority = Self.authority(host, port)
            path = ""
        case .path(let text):
            scheme = request.scheme
            authority = head.fields.value(of: .host) ?? ""
            path = text
        case .asterisk:
            scheme = request.scheme
            authority = head.fields.value(of: .host) ?? ""
            path = "*"
        }
        guard !authority.isEmpty, isTunnel || !(scheme.isEmpty || path.isEmpty) else { return nil }
        guard Self.isSayable(scheme), Self.isSayable(authority), Self.isSayable(path),
            Self.isSayable(protocolName ?? "")
        else { return nil }
    }

    var textBytes: Int {
        method.utf8.count + scheme.utf8.count + authority.utf8.count + path.utf8.count
            + (protocolName?.utf8.count ?? 0)
    }

    func add(to list: inout NameValueList) {
        list.add(":method", text: method)
        if !isTunnel { list.add(":scheme", text: scheme) }
        list.add(":authority", text: authority)
        if !isTunnel { list.add(":path", text: path) }
        if let protocolName { list.add(":protocol", text: protocolName) }
    }

    private static func isSayable(_ part: String) -> Bool { part.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F } }

    private static func authority(_ host: String, _ port: Int?) -> String {
        Authority(host: host, port: port).description
    }
}
