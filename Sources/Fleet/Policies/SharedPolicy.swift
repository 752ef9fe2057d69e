/// A version of a dictionary in a shared store.
public struct SharedPolicy: Sendable, Hashable {
    public let name: String
    public let version: Int64
    /// The file as it was pushed, in its original format.
    public let content: [UInt8]
    /// The SHA-256 of the content: 64 hexadecimal digits.
    public let digest: String
    /// In milliseconds since 1970, by the server's clock.
    public let pushed: Int64
    /// The login that pushed it.
    public let by: String

    public init(name: String, version: Int64, content: [UInt8], digest: String, pushed: Int64, by: String) {
        self.name = name
        self.version = version
        self.content = content
        self.digest = digest
        self.pushed = pushed
        self.by = by
    }

    /// Its name in records and on gates: `store:NAME@VERSION`.
    public var title: String { "\(PolicyReference.scheme)\(name)@\(version)" }
}

/// A version of a dictionary, and the number of gates that enforce it.
public struct PolicyListing: Sendable, Hashable {
    public let name: String
    public let version: Int64
    /// As in ``SharedPolicy/digest``.
    public let digest: String
    /// In milliseconds since 1970.
    public let pushed: Int64
    public let by: String
    /// The number of gates that were seen in the last five minutes and enforce it; nil if the login may not see gates.
    public let gates: Int64?
}
