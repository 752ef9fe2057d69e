/// The way to an origin: what is dialed, and what a parent proxy is asked for.
public struct DialPlan: Sendable {
    public struct Place: Sendable, Hashable {
        public let host: String
        public let port: Int

        public init(host: String, port: Int) {
            self.host = host
            self.port = port
        }
    }

    /// What is dialed: the origin, or the parent.
    public let first: Place
    public let parent: ParentProxy?
    /// Where the parent has to open a tunnel to; nil where it reads the requests itself, or is not asked at all.
    public let tunnel: Place?
    /// Where it leads was said by the user: a parent, or `--connect-to`.
    public let isChosen: Bool

    /// The same way, over one address of the name that is dialed.
    public func over(_ address: String) -> DialPlan {
        DialPlan(
            first: Place(host: address, port: first.port), parent: parent, tunnel: tunnel, isChosen: isChosen)
    }
}
