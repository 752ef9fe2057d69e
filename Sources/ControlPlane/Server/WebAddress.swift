import Text

/// The address at which the page is served.
public struct WebAddress: Sendable, Hashable {
    /// An IP address, or `localhost`.
    public var host: String
    /// 0 for a free port that the system chooses.
    public var port: Int

    public init(host: String = "127.0.0.1", port: Int = 9803) {
        self.host = host
        self.port = port
    }

    /// True if only this machine can reach it.
    public var isLoopback: Bool { host == "localhost" || IPAddress(host)?.isLoopback == true }

    /// `HOST:PORT`, an IPv6 address in brackets.
    public var text: String { Authority(host: host, port: port).description }

    /// The address that a browser on this machine uses.
    public var reachable: String { Authority(host: host, port: port).reachable.description }
}
