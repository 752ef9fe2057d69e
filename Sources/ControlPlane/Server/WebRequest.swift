import Foundation
public import HTTPWire
import Text

/// A request without its body.
public struct WebRequest: Sendable {
    public let head: RequestHead
    /// Still percent-encoded, without the query.
    public let path: String
    /// The query as received, without the question mark; empty if there is none.
    private let rawQuery: Substring
    /// The decoded members of the query, in order.
    private let members: [(name: String, value: String)]
    /// Decided by the connection's address alone; header fields do not count.
    let isFromThisMachine: Bool

    /// - Parameter peer: as in `192.0.2.1:5` or `[2001:db8::1]:5`.
    /// - Returns: nil if the request is meant for a proxy.
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

    /// The method; HEAD is treated like GET, whose answer differs only in its body (RFC 9110 section 9.3.2).
    var method: HTTPWire.Method { head.method == .head ? .get : head.method }

    /// The value of the first member with this name.
    func query(_ name: String) -> String? { members.first { $0.name == name }?.value }

    /// The names of all members of the query.
    var queryNames: [String] { members.map(\.name) }

    /// The query as received, without the members of one name.
    func query(without name: String) -> String {
        rawQuery.split(separator: "&").filter { member in
            Self.members(of: member).allSatisfy { $0.name != name }
        }.joined(separator: "&")
    }

    /// True if a browser asks for a page to show, rather than for data (Fetch, section 3.2.6).
    var wantsPage: Bool {
        method == .get && head.fields.values(of: .accept).contains { $0.lowercased().contains("text/html") }
    }

    /// Parses a query as browsers write it. Source: URL Standard, section 5.1, application/x-www-form-urlencoded
    /// parsing.
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
