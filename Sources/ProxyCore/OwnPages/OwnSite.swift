import ATSPolicy
import Bytes
import HTTPWire
import Records
public import Text

/// The gate's own pages. Clients reach them by the gate's address, or through the proxy by a reserved name. Such
/// requests are never judged, dialed or recorded.
public struct OwnSite: Sendable {
    /// The reserved name. No server on any network has a name below `.test`. Source: RFC 6761 section 6.2.
    public static let name = "atsgate.test"

    /// The address that the gate's own DNS returns for the name, so that redirected clients find the site. It is part
    /// of 198.18.0.0/15, which no network routes: RFC 2544 section C.2.2, RFC 6890 section 2.2.2.
    public static let address = IPAddress.v4(198 << 24 | 19 << 16 | 98 << 8 | 2)

    /// True if a host is the site's name, in any case, with or without a trailing dot.
    static func isName(_ host: String) -> Bool {
        // Called for every load; the length excludes nearly all names.
        (name.utf8.count...name.utf8.count + 1).contains(host.utf8.count) && HostGrammar.normalized(host) == name
    }

    let answer: @Sendable (OwnRequest) -> OwnAnswer?

    /// - Parameter answer: called on event loops, so it must be quick. Returns nil if the page does not exist.
    public init(_ answer: @escaping @Sendable (OwnRequest) -> OwnAnswer?) { self.answer = answer }
}

/// One of the gate's own pages or files.
public struct OwnAnswer: Sendable {
    /// An HTTP status.
    public var status: Int
    public var mediaType: String
    /// Header fields in addition to type and length.
    public var fields: [(name: String, value: String)]
    public var body: [UInt8]

    public init(
        _ mediaType: String, _ body: [UInt8], status: Int = 200, fields: [(name: String, value: String)] = []
    ) {
        self.status = status
        self.mediaType = mediaType
        self.fields = fields
        self.body = body
    }

    static let nothing = OwnAnswer("text/plain; charset=utf-8", Array("Page not found.\n".utf8), status: 404)
    static let onlyForReading = OwnAnswer(
        "text/plain; charset=utf-8", Array("Only GET and HEAD are allowed.\n".utf8), status: 405,
        fields: [("Allow", "GET, HEAD")])
}

extension ClientStream {
    /// Writes one of the gate's own pages.
    ///
    /// - Parameter isLast: the gate closes the connection afterwards.
    /// - Returns: true if another request may follow.
    func give(_ answer: OwnAnswer, to head: RequestHead, isLast: Bool) -> Bool {
        var block = FieldBlock()
        block.append(.cacheControl, "no-store")
        block.append(.server, "atsgate")
        for field in answer.fields { block.append(field.name, field.value) }
        let own = AnswerHead(
            status: answer.status, mediaType: answer.mediaType, length: Int64(answer.body.count), fields: block)
        // A request's body is not read, so its end is not found and the response is the last.
        let isLast = isLast || head.framing != .none
        var goesOn = false
        compose { queue in
            let form = MessageWriter.answer(own, to: head, isLast: isLast, queue: queue)
            if form.framing != nil { queue.append(answer.body) }
            goesOn = form.isPersistent
        }
        return goesOn
    }
}

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
