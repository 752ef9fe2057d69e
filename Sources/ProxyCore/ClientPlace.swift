public import ATSPolicy

/// Where a client comes from, and what its listener says about it.
public struct ClientPlace: Sendable, Hashable {
    /// The client's `ADDRESS:PORT`, for records.
    public var address: String
    /// The listener's label, for records.
    public var label: String?
    /// What every load of this listener is taken for; stronger than the law's own.
    public var assumedLoader: Loader?

    public init(address: String, label: String? = nil, assumedLoader: Loader? = nil) {
        self.address = address
        self.label = label
        self.assumedLoader = assumedLoader
    }

    /// Without the port, which changes with every connection of a client.
    var host: Substring { address.lastIndex(of: ":").map { address[..<$0] } ?? address[...] }
}
