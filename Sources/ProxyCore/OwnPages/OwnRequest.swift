import ATSPolicy
import HTTPWire
import Records
public import Text

/// A request for a page of the gate's own.
public struct OwnRequest: Sendable {
    /// How it came.
    public enum Arrival: Sendable, Hashable {
        /// As if to a web server.
        case direct
        /// In the clear, by a client that has the gate for its proxy.
        case proxied
        /// By a client that trusts a leaf of the gate's CA.
        case secure
    }

    public var arrival: Arrival
    /// The client asked no proxy: its connection was led here.
    public var isRedirected = false
    /// Without the query.
    public var path: String
    /// Empty for none.
    public var query: String
    /// What the client calls the gate.
    public var authority: Authority
    /// The client's address, without a port.
    public var client: String
    /// Of the listener that it came by.
    public var label: String?
    public var userAgent: String?
    /// Where the dictionary comes from that this client is judged by; nil for the secure defaults.
    public var policy: String?
    /// Seconds since 1970-01-01 UTC.
    public var time: Int64

    public init(
        _ arrival: Arrival, path: String, query: String = "", authority: Authority, client: String,
        label: String? = nil, userAgent: String? = nil, time: Int64 = 0
    ) {
        self.arrival = arrival
        self.path = path
        self.query = query
        self.authority = authority
        self.client = client
        self.label = label
        self.userAgent = userAgent
        self.time = time
    }
}

extension SessionContext {
    /// What the gate itself has to say; nil where another origin is asked for, or there is nothing.
    func ownAnswer(to head: RequestHead) -> OwnAnswer? {
        guard let site = loop.ownSite, let (authority, path, isDirect) = ownTarget(of: head) else { return nil }
        let isNamed = OwnSite.isName(authority.host)
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var request = OwnRequest(
            client.tls != nil ? .secure : isDirect && !isNamed ? .direct : .proxied, path: String(parts[0]),
            query: parts.count > 1 ? String(parts[1]) : "", authority: authority, client: place.host,
            label: place.label, userAgent: head.fields.value(of: .userAgent), time: now.unixSeconds)
        request.isRedirected = place.entrance.original != nil
        request.policy = system.judge.declaration.source
        guard let answer = site.answer(request) else {
            // Under its addresses the gate is a proxy to everybody who asks for something else.
            return isNamed ? .nothing : nil
        }
        return head.method == .get || head.method == .head ? answer : .onlyForReading
    }

    private func ownTarget(of head: RequestHead) -> (authority: Authority, path: String, isDirect: Bool)? {
        switch head.target {
        case .absolute(let url):
            guard url.scheme == "http", OwnSite.isName(url.host) || loop.policy.owns(url.host, port: url.port ?? 80)
            else { return nil }
            return (Authority(host: url.host, port: url.port), url.path, false)
        case .path(let path):
            guard let host = head.fields.value(of: .host), let authority = try? Authority(host[...]),
                Self.isOwn(HostGrammar.normalized(authority.host))
            else { return nil }
            return (authority, path, true)
        case .authority, .asterisk: return nil
        }
    }

    /// Any other name was made to point here by somebody else, and its origin's pages are not ours to give.
    private static func isOwn(_ host: String) -> Bool {
        host == OwnSite.name || host == "localhost" || host.hasSuffix(".local") || IPAddress(host) != nil
    }
}
