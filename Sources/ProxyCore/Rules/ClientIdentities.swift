public import ATSPolicy
public import TLSEngine
import Text

/// Which certificate the gate shows to which origin, where one asks.
public struct ClientIdentities: Sendable {
    /// One host, or all below one, with its certificate.
    public struct Entry: Sendable {
        let hosts: HostPatterns
        let isExact: Bool
        let port: Int?
        public let identity: ClientIdentity

        /// - Parameters:
        ///   - host: exact, or `*.example.com` for everything below.
        ///   - port: nil for any.
        public init(host: String, port: Int?, identity: ClientIdentity) {
            hosts = HostPatterns([host])
            isExact = !host.hasPrefix("*.")
            self.port = port
            self.identity = identity
        }
    }

    public let entries: [Entry]

    public init(_ entries: [Entry] = []) {
        self.entries = entries
    }

    /// A host's own entry goes before a pattern, and a later one before an earlier.
    public func identity(for target: LoadTarget) -> ClientIdentity? {
        if entries.isEmpty { return nil }
        let fitting = entries.filter { $0.hosts.contains(target.host) && ($0.port ?? target.port) == target.port }
        return (fitting.last { $0.isExact } ?? fitting.last)?.identity
    }
}
