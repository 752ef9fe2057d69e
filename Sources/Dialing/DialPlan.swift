/// The route to an origin: the address to dial, and the tunnel to request from a parent proxy.
public struct DialPlan: Sendable {
    public struct Endpoint: Sendable, Hashable {
        public let host: String
        public let port: Int

        public init(host: String, port: Int) {
            self.host = host
            self.port = port
        }
    }

    /// The address to dial: the origin's, or the parent's.
    public let first: Endpoint
    public let parent: ParentProxy?
    /// The target of the parent's tunnel; nil if the parent reads the requests itself, or is not used.
    public let tunnel: Endpoint?
    /// True if the user chose the address, by a parent proxy or by `--connect-to`.
    public let isChosen: Bool

    /// The same route, using one address of the dialed name.
    public func over(_ address: String) -> DialPlan {
        DialPlan(
            first: Endpoint(host: address, port: first.port), parent: parent, tunnel: tunnel, isChosen: isChosen)
    }
}
