/// An error in the text of a host, or of a host with a port, and its position.
public struct AuthorityFault: Error, Sendable, Hashable {
    /// The kind of error. A closed list, so that callers can use their own text for each.
    public enum Kind: Sendable, Hashable, CaseIterable {
        case hostMissing
        case hostTooLong
        case emptyLabel
        case longLabel
        /// Not ASCII: an international name that is not in its xn-- form.
        case foreignLetter
        case badCharacter
        case bracketMissing
        case notIPv6
        case badZone
        case badPort
    }

    public var kind: Kind
    /// Number of bytes before the error.
    public var offset: Int

    public init(_ kind: Kind, at offset: Int) {
        self.kind = kind
        self.offset = offset
    }
}

extension AuthorityFault: CustomStringConvertible {
    /// A sentence without a full stop.
    public var description: String {
        switch kind {
        case .hostMissing: "the host is missing"
        case .hostTooLong: "the host is too long"
        case .emptyLabel: "the host has an empty label"
        case .longLabel: "a label of the host is longer than 63 characters"
        case .foreignLetter: "write an international name in its xn-- form"
        case .badCharacter: "the host contains a character that is not allowed"
        case .bracketMissing: "the closing bracket of the IPv6 address is missing"
        case .notIPv6: "brackets must contain an IPv6 address"
        case .badZone: "a scope id must be written as %25 and a name"
        case .badPort: "the port must be a number from 1 to 65535"
        }
    }
}
