import Bytes
import Text

/// The ranges of a host and a port in a message.
///
/// ``AuthorityScan`` defines the syntax: letters, digits, hyphens, dots and underscores, or an IPv6 address in brackets
/// without a zone. So each host has one spelling.
struct AuthorityRange {
    /// Without brackets.
    let host: Range<Int>
    let port: Int?
    /// Index of the text after the authority.
    let end: Int
}

extension ByteView {
    /// Reads a host with an optional port at the start of `range`; nil if it does not begin with one.
    func authority(startOf range: Range<Int>) -> AuthorityRange? {
        guard let scan = try? AuthorityScan(startOf: slice(range)) else { return nil }
        let start = range.lowerBound
        return AuthorityRange(
            host: (start + scan.host.lowerBound)..<(start + scan.host.upperBound), port: scan.port,
            end: start + scan.end)
    }

    /// Reads `range` as a host with an optional port; nil if it contains anything else.
    func authority(whole range: Range<Int>) -> AuthorityRange? {
        guard let authority = authority(startOf: range), authority.end == range.upperBound else { return nil }
        return authority
    }
}
