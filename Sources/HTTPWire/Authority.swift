import Text

/// Where a host and a port stand in a message's bytes.
///
/// What an authority is, ``AuthorityScan`` says: letters, digits, hyphens, dots and underscores, or an IPv6 address in
/// brackets without a zone, so that one host has one spelling.
struct AuthorityPlace {
    /// Without brackets.
    let host: Range<Int>
    let port: Int?
    /// Where the text after the authority begins.
    let end: Int
}

extension ByteView {
    /// As much of `range` as belongs to a host with an optional port; nil when it does not begin with one.
    func authority(startOf range: Range<Int>) -> AuthorityPlace? {
        guard let scan = try? AuthorityScan(startOf: slice(range)) else { return nil }
        let start = range.lowerBound
        return AuthorityPlace(
            host: (start + scan.host.lowerBound)..<(start + scan.host.upperBound), port: scan.port,
            end: start + scan.end)
    }

    /// `range` as a host with an optional port and nothing else.
    func authority(whole range: Range<Int>) -> AuthorityPlace? {
        guard let authority = authority(startOf: range), authority.end == range.upperBound else { return nil }
        return authority
    }
}
