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
