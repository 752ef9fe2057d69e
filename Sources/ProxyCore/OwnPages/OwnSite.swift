public import Text

/// Pages of the gate's own, for whoever asks the gate itself: by its address as if it were a web server, or through it
/// by a name that only it knows. Such requests are never judged, dialed or recorded.
public struct OwnSite: Sendable {
    /// The name. No server on any network has one below `.test`. Source: RFC 6761 section 6.2.
    public static let name = "atsgate.test"

    /// Where the name leads that a DNS of the gate's own gives out, so that a redirected client finds the site. One of
    /// 198.18.0.0/15, which no network leads anywhere: RFC 2544 section C.2.2, RFC 6890 section 2.2.2.
    public static let address = IPAddress.v4(198 << 24 | 19 << 16 | 98 << 8 | 2)

    /// Whether a host is the site's name, in whatever case, with or without a dot behind it.
    static func isName(_ host: String) -> Bool {
        // Asked for every load, and nearly all names are of another length.
        (name.utf8.count...name.utf8.count + 1).contains(host.utf8.count) && HostGrammar.normalized(host) == name
    }

    let answer: @Sendable (OwnRequest) -> OwnAnswer?

    /// - Parameter answer: called on event loops: quick, and nil for what is not there.
    public init(_ answer: @escaping @Sendable (OwnRequest) -> OwnAnswer?) { self.answer = answer }
}
