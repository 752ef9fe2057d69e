import ATSPolicy
import HTTPWire
import Records
public import Text

/// A request for one of the gate's own pages.
public struct OwnRequest: Sendable {
    /// The way the request came.
    public enum Arrival: Sendable, Hashable {
        /// As to a web server.
        case direct
        /// In cleartext, by a client that uses the gate as its proxy.
        case proxied
        /// Over TLS, by a client that trusts the gate's CA.
        case secure
    }

    public var arrival: Arrival
    /// True if the client used no proxy and its connection was redirected here.
    public var isRedirected = false
    /// The path without the query.
    public var path: String
    /// Empty if there is no query.
    public var query: String
    /// The client's name for the gate.
    public var authority: Authority
    /// The client's address, without a port.
    public var client: String
    /// The label of the client's listener.
    public var label: String?
    public var userAgent: String?
    /// The source of the dictionary that this client is judged by; nil for the secure defaults.
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
    /// The gate's own response; nil if the request is for another origin, or the gate has no site.
    func ownAnswer(to head: RequestHead) -> OwnAnswer? {
        guard let site = loop.ownSite, let (authority, path, isDirect) = ownTarget(of: head) else { return nil }
        let isNamed = OwnSite.isName(authority.host)
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var request = OwnRequest(
            client.tls != nil ? .secure : isDirect && !isNamed ? .direct : .proxied, path: String(parts[0]),
            query: parts.count > 1 ? String(parts[1]) : "", authority: authority, client: place.host,
            label: place.label, userAgent: head.fields.value(of: .userAgent), time: now.unixSeconds)
        request.isRedirected = place.original != nil
        request.policy = system.judge.declaration.source
        guard let answer = site.answer(request) else {
            // At the gate's own addresses, requests for anything else are proxied.
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

    /// True if the host is a name of the gate. Any other name belongs to another origin, even if it points here.
    private static func isOwn(_ host: String) -> Bool {
        host == OwnSite.name || host == "localhost" || host.hasSuffix(".local") || IPAddress(host) != nil
    }
}
