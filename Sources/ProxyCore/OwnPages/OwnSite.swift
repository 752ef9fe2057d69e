import Text

/// Pages of the gate's own, for whoever asks the gate itself: by its address as if it were a web server, or through it
/// by a name that only it knows. Such requests are never judged, dialed or recorded.
public struct OwnSite: Sendable {
    /// The name. No server on any network has one below `.test`. Source: RFC 6761 section 6.2.
    public static let name = "atsgate.test"

    /// Whether a host is the site's name, in whatever case, with or without a dot behind it.
    static func isName(_ host: String) -> Bool {
        // Asked for every load, and nearly all names are of another length.
        (name.utf8.count...name.utf8.count + 1).contains(host.utf8.count) && HostGrammar.normalized(host) == name
    }

    let answer: @Sendable (OwnRequest) -> OwnAnswer?

    /// - Parameter answer: called on event loops: quick, and nil for what is not there.
    public init(_ answer: @escaping @Sendable (OwnRequest) -> OwnAnswer?) { self.answer = answer }
}
