import ATSPolicy
import Text

/// One `--connect-to HOST:PORT:ADDR:PORT`, as curl's option of that name. nil matches every value, or keeps the
/// target's.
public struct ConnectTo: Sendable, Hashable {
    public var host: String?
    public var port: Int?
    public var toHost: String?
    public var toPort: Int?

    public init(host: String?, port: Int?, toHost: String?, toPort: Int?) {
        self.host = host.map { HostGrammar.normalized($0) }
        self.port = port
        self.toHost = toHost
        self.toPort = toPort
    }

    func matches(_ target: LoadTarget) -> Bool {
        (host.map { $0 == HostGrammar.normalized(target.host) } ?? true) && (port == nil || port == target.port)
    }
}
