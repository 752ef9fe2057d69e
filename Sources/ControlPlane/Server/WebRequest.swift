import Foundation
public import HTTPWire
import Text

/// A request as it came, without its body.
public struct WebRequest: Sendable {
    public let head: RequestHead
    /// Still encoded, without the query.
    public let path: String
    /// As it came, without the question mark; empty for none.
    private let rawQuery: Substring
    /// Decoded, in order.
    private let members: [(name: String, value: String)]
    /// Its sender is told by the connection alone: nothing that it says of itself counts.
    let isFromThisMachine: Bool

    /// - Parameter peer: as in `192.0.2.1:5` or `[2001:db8::1]:5`.
    /// - Returns: nil for a request that is not for a server but for a proxy.
    public init?(_ head: RequestHead, from peer: String) {
        guard case .path(let target) = head.target else { return nil }
        self.head = head
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts.first ?? "/")
        rawQuery = parts.count > 1 ? parts[1] : ""
        members = Self.members(of: rawQuery)
        let address = (try? Authority(peer[...])).flatMap { IPAddress($0.host) }
        isFromThisMachine = address?.isLoopback == true
    }

    /// HEAD is answered as GET is, up to the body (RFC 9110 section 9.3.2).
    var method: HTTPWire.Method { head.method == .head ? .get : head.method }

    /// The first member of the query that has the name.
    func query(_ name: String) -> String? { members.first { $0.name == name }?.value }

    /// Of all members of the query.
    var queryNames: [String] { members.map(\.name) }

    /// The query as it came, but for members of one name.
    func query(without name: String) -> String {
        rawQuery.split(separator: "&").filter { member in
            Self.members(of: member).allSatisfy { $0.name != name }
        }.joined(separator: "&")
    }

    /// People read what is answered: a browser shows pages in place of asking for data (Fetch, section 3.2.6).
    var wantsPage: Bool {
        method == .get && head.fields.values(of: .accept).contains { $0.lowercased().contains("text/html") }
    }

    /// As browsers write it. Source: URL Standard, section 5.1, application/x-www-form-urlencoded parsing.
    private static func members(of query: Substring) -> [(name: String, value: String)] {
        func decoded(_ text: Substring) -> String {
            let text = text.replacing("+", with: " ")
            return text.removingPercentEncoding ?? String(text)
        }
        return query.split(separator: "&").map { member in
            let sides = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(sides[0]), sides.count > 1 ? decoded(sides[1]) : "")
        }
    }
}
